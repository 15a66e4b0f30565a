/* The game and its rules. Part of reference.c. */
/* As `reference.py` fills it from the edition's record. */
typedef struct {
    int8_t cards[CARDS];
    int16_t treasure_value[TREASURES];
    int16_t relic_value[RELICS];
    int8_t num_relics, one_relic_per_expedition, relics_printed, num_expeditions, bust_removes, hidden_chests;
} printed_edition;

typedef struct {
    int16_t share[PLAYERS + 1][32]; /* gems of each card for each of so many players inside; 0 if it has none */
    int16_t rest[PLAYERS + 1][32];
    bytes32 fresh; /* cumulative counts of a fresh deck */
    int16_t relic_value[RELICS + 1];
    int16_t num_relics, one_relic_per_expedition, relics_printed, num_expeditions, bust_removes, hidden;
} edition;

/* 128 bytes. The sixteen shorts at its head are the first sixteen numbers of a row, except the observer's own five. */
typedef struct {
    union {
        uint64_t inside; /* one byte per seat */
        shorts16 head;
        struct {
            int16_t own[5], num_players, num_inside, expedition, expeditions_left, turn, bag, path_gems, path_relics,
                path_relic_value, relics_taken, hidden;
        };
    };
    uint64_t key;
    uint64_t on_path; /* one byte per kind of trap */
    shorts8 chest;
    uint64_t relics, left_turn; /* one byte per seat */
    bytes16 start;              /* traps and relics of the deck with which the next expedition begins */
    bytes32 deck;               /* cumulative counts of the cards: the last is the deck's size */
} __attribute__((aligned(64))) game;
_Static_assert(sizeof(game) == 128, "a game is two cache lines");

typedef struct {
    int8_t level, card; /* CARD_ONLY, LEAVERS, EVERYTHING or NOTHING changed in the rows; the card turned up */
} change;
enum { CARD_ONLY, LEAVERS, EVERYTHING, NOTHING };

/* Row c: -1 for the cards from c on. Adding it to cumulative counts takes one card c away. */
static bytes32 take[32];
static uint64_t trap_byte[32];
static const uint32_t reciprocal[PLAYERS + 1] = {0, 65536, 32768, 21846, 16384, 13108, 10923, 9363, 8192};

size_t reference_game_bytes(void) { return sizeof(game); }
size_t reference_edition_bytes(void) { return sizeof(edition); }

static void prepare_rows(void);

void reference_prepare(const printed_edition *printed, edition *e) {
    for (int card = 0; card < 32; card++) {
        for (int later = 0; later < 32; later++) take[card][later] = later >= card ? -1 : 0;
        trap_byte[card] = card >= FIRST_TRAP && card < FIRST_RELIC ? 1ull << 8 * (card - FIRST_TRAP) : 0;
    }
    prepare_rows();
    memset(e, 0, sizeof *e);
    int total = 0;
    for (int card = 0; card < 32; card++) {
        total += card < CARDS ? printed->cards[card] : 0;
        e->fresh[card] = (int8_t)total;
    }
    for (int inside = 1; inside <= PLAYERS; inside++)
        for (int slot = 0; slot < TREASURES; slot++) {
            e->share[inside][slot] = (int16_t)(printed->treasure_value[slot] / inside);
            e->rest[inside][slot] = (int16_t)(printed->treasure_value[slot] % inside);
        }
    for (int relic = 0; relic < RELICS; relic++) e->relic_value[relic] = printed->relic_value[relic];
    e->num_relics = printed->num_relics;
    e->one_relic_per_expedition = printed->one_relic_per_expedition;
    e->relics_printed = printed->relics_printed;
    e->num_expeditions = printed->num_expeditions;
    e->bust_removes = printed->bust_removes;
    e->hidden = printed->hidden_chests;
}

/* Random numbers: the finalizer of SplitMix64. */
ALWAYS uint64_t mix(uint64_t key, uint64_t counter) {
    uint64_t bits = key + 0x9E3779B97F4A7C15ull * (counter + 1);
    bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9ull;
    bits = (bits ^ bits >> 27) * 0x94D049BB133111EBull;
    return bits ^ bits >> 31;
}

ALWAYS uint64_t key_of_seed(uint64_t seed) { return mix(mix(seed, 0), 0); }
ALWAYS uint64_t key_of_next_game(uint64_t key) { return mix(key ^ 0xD1B54A32D192ED03ull, 0); }

/* How many of the 32 cumulative counts are at most the position: the card that lies there. */
ALWAYS int card_at(bytes32 deck, int position) {
#if defined(__AVX512BW__) && defined(__AVX512VL__)
    return __builtin_popcount(_mm256_cmple_epi8_mask((__m256i)deck, _mm256_set1_epi8((char)position)));
#elif defined(__AVX2__)
    __m256i above = _mm256_cmpgt_epi8((__m256i)deck, _mm256_set1_epi8((char)position));
    return __builtin_ctz((unsigned)_mm256_movemask_epi8(above));
#else
    uint8_t card = 0;
    for (int i = 0; i < 32; i++) card += deck[i] <= position;
    return card;
#endif
}

ALWAYS uint64_t seats_of(int players) { return 0x0101010101010101ull >> 8 * (PLAYERS - players); }

ALWAYS bytes32 upper(bytes16 start, const edition *e) {
    bytes16 low;
    memcpy(&low, &e->fresh, sizeof low);
    return __builtin_shufflevector(low, start, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
                                   22, 23, 24, 25, 26, 27, 28, 29, 30, 31);
}

ALWAYS bytes16 traps_and_relics(const bytes32 *deck) {
    bytes16 part;
    memcpy(&part, (const char *)deck + 16, sizeof part);
    return part;
}

/* All players enter the cave; returns the deck. */
ALWAYS bytes32 begin_expedition(game *g, const edition *e, int players) {
    g->expedition++;
    g->expeditions_left--;
    g->turn = 0;
    g->num_inside = (int16_t)players;
    g->inside = seats_of(players);
    g->left_turn = 0;
    if (e->one_relic_per_expedition && g->expedition <= e->num_relics)
        g->start -= traps_and_relics(&take[FIRST_RELIC + (e->relics_printed ? g->expedition - 1 : 0)]);
    return upper(g->start, e);
}

/* Returns the deck of the first expedition. */
ALWAYS bytes32 start_game(game *g, const edition *e, int players, uint64_t key) {
    g->head = (shorts16){0};
    g->key = key;
    g->num_players = (int16_t)players;
    g->expeditions_left = e->num_expeditions;
    g->hidden = e->hidden;
    g->on_path = 0;
    g->chest = (shorts8){0};
    g->relics = 0;
    g->start = traps_and_relics(&e->fresh);
    return begin_expedition(g, e, players);
}

/* Ends an expedition; returns the deck of the next one, or the one that is left when the game is over. */
ALWAYS bytes32 end_expedition(game *g, const edition *e, int players) {
    g->bag = g->path_gems = g->path_relics = g->path_relic_value = 0;
    g->on_path = 0;
    if (g->expedition < e->num_expeditions) return begin_expedition(g, e, players);
    g->num_inside = 0;
    g->inside = 0;
    return upper(g->start, e);
}

/* Turns up cards until somebody must decide or the game is over; returns the last card. */
ALWAYS int reveal(game *g, const edition *e, int players, bytes32 deck) {
    for (;;) {
        uint64_t bits = mix(g->key, (uint64_t)(g->expedition * 128 + g->turn)) >> 32;
        int card = card_at(deck, (int)(bits * (uint64_t)deck[31] >> 32));
        deck += take[card];
        g->turn++;
        g->bag += e->share[g->num_inside][card];
        g->path_gems += e->rest[g->num_inside][card];
        if (RARE(card >= FIRST_RELIC)) {
            int order = e->relics_printed ? card - FIRST_RELIC : g->relics_taken + g->path_relics;
            g->path_relics++;
            g->path_relic_value += e->relic_value[order];
            g->start += traps_and_relics(&take[card]);
        }
        uint64_t trap = trap_byte[card];
        if (RARE(g->on_path & trap)) {
            bytes16 gone = traps_and_relics(&take[card]);
            for (int copies = 0; copies < e->bust_removes; copies++) g->start += gone;
            deck = end_expedition(g, e, players);
            if (g->num_inside) continue;
        } else {
            g->on_path |= trap;
        }
        g->deck = deck;
        return card;
    }
}

/* Plays one turn of one game; `leave` has a 1 in the byte of each seat that wants to leave. */
ALWAYS change play_turn(game *g, const edition *e, int players, uint64_t leave, float *rewards) {
    leave &= g->inside;
    int leavers = __builtin_popcountll(leave);
    int alone = -(leavers == 1);
    int share = (int)((unsigned)g->path_gems * reciprocal[leavers] >> 16);
    int gems = g->bag + share + (g->path_relic_value & alone);
    shorts8 banked = shorts_of_word(leave) * (int16_t)gems;
    int taken = g->path_relics & alone;
    g->chest += banked;
    g->relics += leave * (uint64_t)taken;
    g->left_turn |= leave * (uint64_t)g->turn;
    g->relics_taken += taken;
    g->path_relics -= taken;
    g->path_relic_value &= ~alone;
    g->path_gems -= share * leavers;
    g->inside ^= leave;
    int was_inside = g->num_inside;
    int expedition = g->expedition;
    g->num_inside -= leavers;
    if (rewards) {
        floats8 earned = floats_of_shorts(banked);
        memcpy(rewards, &earned, sizeof(float) * (size_t)players);
    }
    bytes32 deck = g->deck;
    if (RARE(g->num_inside == 0)) {
        if (!was_inside) return (change){NOTHING, 0};
        deck = end_expedition(g, e, players);
        if (!g->num_inside) {
            g->deck = deck;
            return (change){EVERYTHING, 0};
        }
    }
    int card = reveal(g, e, players, deck);
    int level = g->expedition != expedition || !g->num_inside ? EVERYTHING : leavers ? LEAVERS : CARD_ONLY;
    return (change){(int8_t)level, (int8_t)card};
}

ALWAYS uint64_t decisions(const int8_t *actions, int players) {
    uint64_t word = 0;
    memcpy(&word, actions, (size_t)players);
    return word;
}

ALWAYS void play_block(game *games, int count, const edition *e, int players, const int8_t *actions, float *rewards,
                       uint8_t *done, int auto_reset, change *changes) {
    for (int i = 0; i < count; i++) {
        game *g = &games[i];
        change what = play_turn(g, e, players, decisions(actions + i * players, players), rewards + i * players);
        done[i] = g->num_inside == 0;
        if (RARE(g->num_inside == 0) && auto_reset) {
            reveal(g, e, players, start_game(g, e, players, key_of_next_game(g->key)));
            what.level = EVERYTHING;
        }
        if (changes) changes[i] = what;
    }
}

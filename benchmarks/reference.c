/* The rival: the same step as diamant_env's engine, written by hand in C for one table size and one edition.
 *
 * It plays the same games byte for byte (keys, cards, observations, score rewards, done, auto-reset) and does what
 * an expert would do who need not care for readers:
 *   - a game is two cache lines; the deck is kept as cumulative counts, so that a draw is one comparison of 32 bytes;
 *   - seats are bytes of a 64-bit word: leaving, banking and rewarding are word operations without a branch;
 *   - shares and remainders of a treasure come from tables per edition;
 *   - the rules run for a block of games first and the rows are written after that, so that no load waits for a store;
 *   - what all seats share is converted once and stays in registers, rivals are permutations of registers, a row is
 *     six stores of 64 bytes; rows that leave the caches anyway are written past them;
 *   - everything is compiled once per table size.
 * It does less than the engine: actions are not checked, tables and editions are not mixed, nobody may watch.
 */
#include <stdint.h>
#include <string.h>
#ifdef __AVX2__
#include <immintrin.h>
#endif

enum { PLAYERS = 8, TREASURES = 16, TRAPS = 8, RELICS = 5, FIRST_TRAP = 16, FIRST_RELIC = 24, CARDS = 29, FEATURES = 90 };
enum { BLOCK = 32 };

typedef int8_t bytes8 __attribute__((vector_size(8)));
typedef int8_t bytes16 __attribute__((vector_size(16)));
typedef int8_t bytes32 __attribute__((vector_size(32)));
typedef int16_t shorts8 __attribute__((vector_size(16)));
typedef int16_t shorts16 __attribute__((vector_size(32)));
typedef int32_t ints8 __attribute__((vector_size(32)));
typedef int32_t ints16 __attribute__((vector_size(64)));
typedef float floats8 __attribute__((vector_size(32)));
typedef float floats16 __attribute__((vector_size(64)));
typedef uint64_t words8 __attribute__((vector_size(64)));

#define ALWAYS static inline __attribute__((always_inline))
#define CONVERT(vector, type) __builtin_convertvector(vector, type)
#define RARE(condition) __builtin_expect(condition, 0)

/* gcc 12 takes vectors of bytes apart one by one where it converts them, so it is told how. */
#ifdef __AVX2__
ALWAYS shorts8 shorts_of_word(uint64_t bytes) { return (shorts8)_mm_cvtepi8_epi16(_mm_cvtsi64_si128((long long)bytes)); }
ALWAYS floats8 floats_of_word(uint64_t bytes) {
    return (floats8)_mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_cvtsi64_si128((long long)bytes)));
}
ALWAYS floats8 floats_of_shorts(shorts8 shorts) { return (floats8)_mm256_cvtepi32_ps(_mm256_cvtepi16_epi32((__m128i)shorts)); }
#else
ALWAYS shorts8 shorts_of_word(uint64_t bytes) { return CONVERT((bytes8)bytes, shorts8); }
ALWAYS floats8 floats_of_word(uint64_t bytes) { return CONVERT((bytes8)bytes, floats8); }
ALWAYS floats8 floats_of_shorts(shorts8 shorts) { return CONVERT(shorts, floats8); }
#endif
#ifdef __AVX512F__
ALWAYS floats16 floats_of_bytes(bytes16 bytes) { return (floats16)_mm512_cvtepi32_ps(_mm512_cvtepi8_epi32((__m128i)bytes)); }
ALWAYS floats16 floats_of_head(shorts16 shorts) { return (floats16)_mm512_cvtepi32_ps(_mm512_cvtepi16_epi32((__m256i)shorts)); }
#else
ALWAYS floats16 floats_of_bytes(bytes16 bytes) { return CONVERT(bytes, floats16); }
ALWAYS floats16 floats_of_head(shorts16 shorts) { return CONVERT(shorts, floats16); }
#endif

/* The sum of products of 16 shorts with 16 bytes. */
ALWAYS int sum_of_products(const int16_t *shorts, bytes16 bytes) {
#ifdef __AVX2__
    __m256i pairs = _mm256_madd_epi16(_mm256_cvtepi8_epi16((__m128i)bytes), _mm256_loadu_si256((const __m256i *)shorts));
    __m128i four = _mm_add_epi32(_mm256_castsi256_si128(pairs), _mm256_extracti128_si256(pairs, 1));
    __m128i two = _mm_add_epi32(four, _mm_unpackhi_epi64(four, four));
    return _mm_cvtsi128_si32(two) + _mm_extract_epi32(two, 1);
#else
    int sum = 0;
    for (int i = 0; i < 16; i++) sum += shorts[i] * bytes[i];
    return sum;
#endif
}

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

static void prepare_rivals(void);

void reference_prepare(const printed_edition *printed, edition *e) {
    for (int card = 0; card < 32; card++) {
        for (int later = 0; later < 32; later++) take[card][later] = later >= card ? -1 : 0;
        trap_byte[card] = card >= FIRST_TRAP && card < FIRST_RELIC ? 1ull << 8 * (card - FIRST_TRAP) : 0;
    }
    prepare_rivals();
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

/* ---- Observations ------------------------------------------------------------------------------------------- */

/* Where things lie in a row. */
enum { TURN = 9, BUST = 16, LEFT = 18, TRAPS_LEFT = 34, ON_PATH = 42, RELICS_LEFT = 50, RIVAL_INSIDE = 62, RIVALS_LAST = 74 };

typedef struct {
    floats16 head, deck_low, deck_high, rest; /* numbers 0 to 15 (the observer's own missing), 16 to 31, 32 to 47, 48 to 63 */
    floats16 inside_chest, relics_left;       /* eight seats each */
    floats16 rivals_1, rivals_2;              /* the same with what is hidden at 0 */
    floats16 lead;                            /* of each seat, in the first eight */
} shared_view;

#define JOIN(low, high) __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)

ALWAYS floats8 rotated(floats8 values, int by, int players) {
    ints8 from;
    for (int seat = 0; seat < PLAYERS; seat++) from[seat] = seat < players ? (seat + by) % players : seat;
    return __builtin_shuffle(values, from);
}

ALWAYS floats8 larger(floats8 a, floats8 b) {
    ints8 chosen = a > b;
    return (floats8)(((ints8)a & chosen) | ((ints8)b & ~chosen));
}

/* For each seat, the largest value of the others. */
ALWAYS floats8 best_of_others(floats8 values, int players) {
    int others = players - 1, width = 1;
    floats8 best = values;
    for (; 2 * width <= others; width *= 2) best = larger(best, rotated(best, width, players));
    return larger(rotated(best, 1, players), rotated(best, 1 + others - width, players));
}

ALWAYS shared_view view(const game *g, const edition *e, int players) {
    shared_view v;
    const floats16 scale = {0, 0, 0, 0, 0, .25f, .25f, .25f, .25f, .125f, .125f, .125f, 1, .125f, .5f, 1};
    v.head = floats_of_head(g->head) * scale;

    bytes32 none = {0};
    bytes32 deck = g->deck;
    bytes32 before = __builtin_shufflevector(none, deck, 0, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
                                             48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62);
    bytes32 cards = deck - before;
    bytes16 low = __builtin_shufflevector(cards, cards, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    bytes16 high = __builtin_shufflevector(cards, cards, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31);
    float size = deck[31];

    uint64_t traps;
    memcpy(&traps, &high, sizeof traps);
    uint64_t fatal_counts = traps & g->on_path * 255; /* at most 100 cards: the bytes' sum fits a byte */
    float bust = 8.0f * (float)(int)(fatal_counts * 0x0101010101010101ull >> 56) / size;
    int gems = sum_of_products(e->share[g->num_inside], low);
    float share = (float)gems / size;

    floats16 treasures = floats_of_bytes(low);
    const floats16 half = {.5f, .5f, .5f, .5f, .5f, .5f, .5f, .5f, .5f, .5f, .5f, .5f, .5f, .5f, .5f, .5f};
    floats16 traps_relics = floats_of_bytes(high) * half;
    floats8 path = floats_of_word(g->on_path);
    floats16 on_path = JOIN(path, path);
    floats16 chances = {bust, share};
    v.deck_low = __builtin_shufflevector(chances, treasures, 0, 1, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29);
    floats16 middle = __builtin_shufflevector(treasures, traps_relics, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 0, 0, 0, 0, 0, 0);
    v.deck_high = __builtin_shufflevector(middle, on_path, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 17, 18, 19, 20, 21);
    const ints16 rival = {9, 9, 9, 9, 9, 9, 9, 1, 2, 3, 4, 5, 6, 7, 9, 9};
    floats16 present = CONVERT(-(rival < players), floats16);
    floats16 tail = __builtin_shufflevector(on_path, traps_relics, 6, 7, 24, 25, 26, 27, 28, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    v.rest = __builtin_shufflevector(tail, present, 0, 1, 2, 3, 4, 5, 6, 23, 24, 25, 26, 27, 28, 29, 30, 31);

    floats8 chest = floats_of_shorts(g->chest);
    floats8 inside = floats_of_word(g->inside);
    floats8 relics = floats_of_word(g->relics) * .5f;
    floats8 left = floats_of_word(g->left_turn) * .125f;
    floats8 lead = (floats8){0};
    if (players > 1) lead = (chest - best_of_others(chest, players)) * .0625f;
    chest *= .03125f;
    v.inside_chest = JOIN(inside, chest);
    v.relics_left = JOIN(relics, left);
    ints8 open = (ints8){0} + (e->hidden - 1);
    v.rivals_1 = JOIN(inside, (floats8)((ints8)chest & open));
    v.rivals_2 = JOIN((floats8)((ints8)relics & open), left);
    lead = (floats8)((ints8)lead & open);
    v.lead = JOIN(lead, lead);
    return v;
}

ALWAYS int rival_seat(int seat, int rival, int players) { return rival + 1 < players ? (seat + 1 + rival) % players : PLAYERS - 1; }

/* Numbers 0 to 15 of a row. */
ALWAYS floats16 row_head(const shared_view *v, int seat) {
    ints16 own = {seat, 8 + seat, 16 + seat, 24 + seat, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    ints16 lead = {0, 1, 2, 3, 16 + seat, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    const ints16 both = {16, 17, 18, 19, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    floats16 mine = __builtin_shuffle(v->inside_chest, v->relics_left, own);
    floats16 others = __builtin_shuffle(v->head, v->lead, lead);
    return __builtin_shuffle(others, mine, both);
}

/* Where the sixteen numbers from 62, 64 and 74 on, which lie among the rivals' 62 to 89, come from. In memory, since
 * gcc 12 gets one of these permutations (7 players, 64) wrong if it knows it at compile time. */
static ints16 rivals_from[PLAYERS + 1][PLAYERS][3];
enum { FROM_62, FROM_64, FROM_74 };

static void prepare_rivals(void) {
    const int first[3] = {0, 2, 12};
    for (int players = 1; players <= PLAYERS; players++)
        for (int seat = 0; seat < players; seat++)
            for (int part = 0; part < 3; part++)
                for (int i = 0; i < 16; i++) {
                    int place = first[part] + i;
                    rivals_from[players][seat][part][i] = place / 7 * 8 + rival_seat(seat, place % 7, players);
                }
}

ALWAYS floats16 row_rivals(const shared_view *v, int seat, int players, int part) {
    return __builtin_shuffle(v->rivals_1, v->rivals_2, rivals_from[players][seat][part]);
}

ALWAYS floats16 row_rest(const shared_view *v, int seat, int players) {
    ints16 from = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 0, 0};
    for (int i = 0; i < 2; i++) from[14 + i] = 16 + rival_seat(seat, i, players);
    return __builtin_shuffle(v->rest, v->rivals_1, from);
}

#define STORE(where, vector) memcpy(where, &(vector), sizeof(vector))

ALWAYS void write_row(const shared_view *v, int seat, int players, float *row) {
    floats16 head = row_head(v, seat), rest = row_rest(v, seat, players);
    floats16 rivals = row_rivals(v, seat, players, FROM_64), last = row_rivals(v, seat, players, FROM_74);
    STORE(row, head);
    STORE(row + 16, v->deck_low);
    STORE(row + 32, v->deck_high);
    STORE(row + 48, rest);
    STORE(row + 64, rivals);
    STORE(row + RIVALS_LAST, last);
}

ALWAYS void write_game(const game *g, const edition *e, int players, float *rows) {
    shared_view v = view(g, e, players);
#pragma GCC unroll 8
    for (int seat = 0; seat < players; seat++) write_row(&v, seat, players, rows + seat * FEATURES);
}

/* Writes what one card changed. */
ALWAYS void write_card(const shared_view *v, int card, float *row) {
    floats8 turn = __builtin_shufflevector(v->head, v->deck_low, 9, 10, 11, 12, 13, 14, 15, 16);
    STORE(row + TURN, turn);
    row[BUST + 1] = v->deck_low[1];
    if (card < FIRST_TRAP) {
        memcpy(row + 18, (const float *)&v->deck_low + 2, 14 * sizeof(float));
        memcpy(row + 32, (const float *)&v->deck_high, 2 * sizeof(float));
    } else {
        STORE(row + 32, v->deck_high);
        memcpy(row + 48, (const float *)&v->rest, 7 * sizeof(float));
    }
}

ALWAYS void write_changes(const game *g, const edition *e, int players, change what, float *rows) {
    if (what.level == NOTHING) return;
    if (what.level == EVERYTHING) {
        write_game(g, e, players, rows);
        return;
    }
    shared_view v = view(g, e, players);
#pragma GCC unroll 8
    for (int seat = 0; seat < players; seat++) {
        float *row = rows + seat * FEATURES;
        if (what.level == LEAVERS) {
            floats16 head = row_head(&v, seat);
            floats16 rivals = row_rivals(&v, seat, players, FROM_62), last = row_rivals(&v, seat, players, FROM_74);
            STORE(row, head);
            STORE(row + RIVAL_INSIDE, rivals);
            STORE(row + RIVALS_LAST, last);
        }
        write_card(&v, what.card, row);
    }
}

/* ---- What Python calls -------------------------------------------------------------------------------------- */

enum { RULES_ONLY, PLAIN, INCREMENTAL };

/* Rows of so many bytes leave the caches before they are read again: they are written past them. */
static const size_t LARGE = 16u << 20;
enum { STREAMED = 8, AHEAD = 4 }; /* games whose rows end at a cache line; games whose rows are fetched ahead */

ALWAYS int can_stream(const float *rows) {
#ifdef __AVX512F__
    return (uintptr_t)rows % 64 == 0;
#else
    return (void)rows, 0;
#endif
}

ALWAYS void stream(float *to, const float *from, int lines) {
#ifdef __AVX512F__
    for (int line = 0; line < lines; line++) _mm512_stream_ps(to + 16 * line, _mm512_load_ps(from + 16 * line));
#else
    memcpy(to, from, (size_t)lines * 64);
#endif
}

ALWAYS void write_plain(const game *games, int count, const edition *e, int players, float *rows, int large) {
    const int size = players * FEATURES;
    int i = 0;
    if (large && can_stream(rows)) {
        float some[STREAMED * PLAYERS * FEATURES] __attribute__((aligned(64)));
        for (; i + STREAMED <= count; i += STREAMED) {
            for (int k = 0; k < STREAMED; k++) write_game(&games[i + k], e, players, some + k * size);
            stream(rows + i * size, some, STREAMED * size / 16);
        }
    }
    for (; i < count; i++) write_game(&games[i], e, players, rows + i * size);
}

ALWAYS void write_incremental(const game *games, int count, const edition *e, int players, const change *changes, float *rows,
                              int large) {
    const int size = players * FEATURES;
    for (int i = 0; i < count; i++) {
        if (large)
            for (int place = 0; place < size; place += 16) __builtin_prefetch(rows + (i + AHEAD) * size + place, 1);
        write_changes(&games[i], e, players, changes[i], rows + i * size);
    }
}

ALWAYS void step_all(game *games, int count, const edition *e, int players, const int8_t *actions, float *rows,
                     float *rewards, uint8_t *done, int auto_reset, int variant) {
    change changes[BLOCK];
    const size_t row_size = (size_t)players * FEATURES;
    int large = (size_t)count * row_size * sizeof(float) > LARGE;
    for (int first = 0; first < count; first += BLOCK) {
        int size = count - first < BLOCK ? count - first : BLOCK;
        game *some = games + first;
        play_block(some, size, e, players, actions + first * players, rewards + first * players, done + first, auto_reset,
                   variant == INCREMENTAL ? changes : NULL);
        if (variant == PLAIN) write_plain(some, size, e, players, rows + (size_t)first * row_size, large);
        if (variant == INCREMENTAL)
            write_incremental(some, size, e, players, changes, rows + (size_t)first * row_size, large);
    }
}

ALWAYS void reset_all(game *games, int count, const edition *e, int players, uint64_t seed, float *rows) {
    for (int i = 0; i < count; i++) {
        memset(&games[i], 0, sizeof games[i]);
        reveal(&games[i], e, players, start_game(&games[i], e, players, key_of_seed(seed + (uint64_t)i)));
        if (rows) write_game(&games[i], e, players, rows + (size_t)i * (size_t)players * FEATURES);
    }
}

/* Who leaves, each with probability threshold / 2^32, from the random numbers that the engine draws for the seats. */
ALWAYS uint64_t random_decisions(const game *g, int players, uint64_t threshold) {
    uint64_t leave = 0;
    uint64_t counter = (uint64_t)(g->expedition * 128 + g->turn);
    for (int seat = 0; seat < players; seat++)
        leave |= (uint64_t)(mix(g->key, ((uint64_t)(1 + seat) << 14) + counter) >> 32 < threshold) << 8 * seat;
    return leave;
}

/* Plays `count` games with random decisions to their ends, the chests into int16 (count, players); returns turns. */
ALWAYS uint64_t play_games(int64_t count, const edition *e, int players, uint64_t seed, uint64_t threshold, int16_t *chests) {
    uint64_t turns = 0;
    for (int64_t i = 0; i < count; i++) {
        game g;
        memset(&g, 0, sizeof g);
        reveal(&g, e, players, start_game(&g, e, players, key_of_seed(seed + (uint64_t)i)));
        while (g.num_inside) {
            play_turn(&g, e, players, random_decisions(&g, players, threshold), NULL);
            turns++;
        }
        memcpy(chests + i * players, &g.chest, sizeof(int16_t) * (size_t)players);
    }
    return turns;
}

#define EACH_TABLE(call) \
    switch (players) {   \
        case 1: call(1); break; \
        case 2: call(2); break; \
        case 3: call(3); break; \
        case 4: call(4); break; \
        case 5: call(5); break; \
        case 6: call(6); break; \
        case 7: call(7); break; \
        case 8: call(8); break; \
    }

void reference_reset(game *games, int count, const edition *e, int players, uint64_t seed, float *rows) {
#define CALL(n) reset_all(games, count, e, n, seed, rows)
    EACH_TABLE(CALL)
#undef CALL
}

void reference_step_rules(game *games, int count, const edition *e, int players, const int8_t *actions, float *rows,
                          float *rewards, uint8_t *done, int auto_reset) {
#define CALL(n) step_all(games, count, e, n, actions, rows, rewards, done, auto_reset, RULES_ONLY)
    EACH_TABLE(CALL)
#undef CALL
}

void reference_step_plain(game *games, int count, const edition *e, int players, const int8_t *actions, float *rows,
                          float *rewards, uint8_t *done, int auto_reset) {
#define CALL(n) step_all(games, count, e, n, actions, rows, rewards, done, auto_reset, PLAIN)
    EACH_TABLE(CALL)
#undef CALL
}

void reference_step_incremental(game *games, int count, const edition *e, int players, const int8_t *actions, float *rows,
                                float *rewards, uint8_t *done, int auto_reset) {
#define CALL(n) step_all(games, count, e, n, actions, rows, rewards, done, auto_reset, INCREMENTAL)
    EACH_TABLE(CALL)
#undef CALL
}

uint64_t reference_play_games(int64_t count, const edition *e, int players, uint64_t seed, uint64_t threshold, int16_t *chests) {
    uint64_t turns = 0;
#define CALL(n) turns = play_games(count, e, n, seed, threshold, chests)
    EACH_TABLE(CALL)
#undef CALL
    return turns;
}

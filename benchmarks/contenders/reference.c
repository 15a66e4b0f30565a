/* The engine's step in plain C, without SIMD intrinsics: the compiler vectorises.
 *
 * Byte-identical to the engine. The public part of an observation is computed once per game and copied to each row; the
 * part of the seats is a slice of the seats listed twice, a ring. Where all continued, the incremental step writes only
 * the features that the new card changes, else all rows. One edition and table size per call. No validation of actions.
 */
#include <stdint.h>
#include <string.h>

enum { PLAYERS = 8, TREASURES = 16, TRAPS = 8, RELICS = 5, FIRST_TRAP = 16, FIRST_RELIC = 24, CARDS = 29 };
enum { FEATURES = 90, SEAT = 5, BLOCK = 32 };
enum { LARGE = 16 << 20, AHEAD = 4 };        /* bytes of rows that exceed the caches; games to prefetch ahead */
enum { HEAD = 13, DECK = 13, ON_PATH = 42 }; /* the public part: length of its head, offsets of deck and path */
enum { EVERYTHING = -1, NOTHING = -2 };      /* what a turn changed, where it is not a card's index */

#define ALWAYS static inline __attribute__((always_inline))

typedef struct {
    int8_t cards[CARDS];
    int16_t treasure_value[TREASURES];
    int16_t relic_value[RELICS];
    int8_t num_relics, one_relic_per_expedition, relics_printed, num_expeditions, bust_removes, hidden_chests;
    int16_t share[PLAYERS + 1][TREASURES]; /* gems of a treasure for each player, by players inside */
} edition;

typedef struct {
    uint64_t key;
    int8_t over, expedition, turn, num_inside, deck_size, relics_taken, path_relics;
    int16_t path_relic_value, path_gems, bag;
    int16_t chest[PLAYERS];
    int8_t relics[PLAYERS], inside[PLAYERS], left_turn[PLAYERS], deck[CARDS + 3], on_path[TRAPS];
} game;

size_t reference_game_bytes(void) { return sizeof(game); }

static inline uint64_t mix(uint64_t key, uint64_t counter) {
    uint64_t bits = key + 0x9E3779B97F4A7C15ull * (counter + 1);
    bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9ull;
    bits = (bits ^ bits >> 27) * 0x94D049BB133111EBull;
    return bits ^ bits >> 31;
}

static void begin_expedition(game *g, const edition *e, int players) {
    g->expedition++;
    g->turn = 0;
    g->num_inside = (int8_t)players;
    for (int seat = 0; seat < PLAYERS; seat++) g->inside[seat] = seat < players;
    memset(g->left_turn, 0, sizeof g->left_turn);
    if (e->one_relic_per_expedition && g->expedition <= e->num_relics)
        g->deck[FIRST_RELIC + (e->relics_printed ? g->expedition - 1 : 0)]++;
    g->deck_size = 0;
    for (int card = 0; card < CARDS; card++) g->deck_size += g->deck[card];
}

static void start_game(game *g, const edition *e, int players, uint64_t key) {
    memset(g, 0, sizeof *g);
    g->key = key;
    memcpy(g->deck, e->cards, sizeof e->cards);
    begin_expedition(g, e, players);
}

static void end_expedition(game *g, const edition *e, int players) {
    memcpy(g->deck, e->cards, FIRST_TRAP);
    for (int trap = 0; trap < TRAPS; trap++) g->deck[FIRST_TRAP + trap] += g->on_path[trap];
    g->bag = g->path_gems = g->path_relic_value = 0;
    g->path_relics = 0;
    memset(g->on_path, 0, sizeof g->on_path);
    if (g->expedition < e->num_expeditions) {
        begin_expedition(g, e, players);
        return;
    }
    g->over = 1;
    g->num_inside = 0;
    memset(g->inside, 0, sizeof g->inside);
    g->deck_size = 0;
    for (int card = 0; card < CARDS; card++) g->deck_size += g->deck[card];
}

/* Turns up one card; returns it, or EVERYTHING where the expedition ended. */
static int reveal(game *g, const edition *e, int players) {
    uint64_t bits = mix(g->key, (uint64_t)(g->expedition * 128 + g->turn)) >> 32;
    int position = (int)(bits * (uint64_t)g->deck_size >> 32), card = 0;
    while ((position -= g->deck[card]) >= 0) card++;
    g->deck[card]--;
    g->deck_size--;
    g->turn++;
    if (card < FIRST_TRAP) {
        int share = e->share[g->num_inside][card];
        g->bag += share;
        g->path_gems += e->treasure_value[card] - share * g->num_inside;
    } else if (card >= FIRST_RELIC) {
        int order = e->relics_printed ? card - FIRST_RELIC : g->relics_taken + g->path_relics;
        g->path_relics++;
        g->path_relic_value += e->relic_value[order];
    } else if (!g->on_path[card - FIRST_TRAP]) {
        g->on_path[card - FIRST_TRAP] = 1;
    } else {
        g->deck[card] += 1 - e->bust_removes;
        end_expedition(g, e, players);
        return EVERYTHING;
    }
    return card;
}

static void reveal_first(game *g, const edition *e, int players) {
    while (!g->over && reveal(g, e, players) == EVERYTHING) continue;
}

/* Returns the card that was turned up if nothing else changed, else EVERYTHING, or NOTHING where the game is over. */
static int play_turn(game *g, const edition *e, int players, const int8_t *actions, float *rewards) {
    int leaves[PLAYERS], leavers = 0;
    for (int seat = 0; seat < players; seat++) {
        leaves[seat] = g->inside[seat] & actions[seat];
        leavers += leaves[seat];
        rewards[seat] = 0;
    }
    if (g->over) return NOTHING;
    if (leavers) {
        int gems = g->bag + g->path_gems / leavers + (leavers == 1 ? g->path_relic_value : 0);
        int relics = leavers == 1 ? g->path_relics : 0;
        for (int seat = 0; seat < players; seat++)
            if (leaves[seat]) {
                g->chest[seat] += gems;
                g->relics[seat] += relics;
                g->inside[seat] = 0;
                g->left_turn[seat] = g->turn;
                rewards[seat] = (float)gems;
            }
        if (leavers == 1) {
            g->relics_taken += g->path_relics;
            g->path_relics = 0;
            g->path_relic_value = 0;
        }
        g->path_gems %= leavers;
        g->num_inside -= leavers;
        if (g->num_inside == 0) end_expedition(g, e, players);
        if (g->over) return EVERYTHING;
    }
    int card = reveal(g, e, players);
    if (card != EVERYTHING) return leavers ? EVERYTHING : card;
    reveal_first(g, e, players);
    return EVERYTHING;
}

/* Copies count >= 16 floats in blocks of 16. With a larger block gcc would call memcpy. */
ALWAYS void copy(float *to, const float *from, int count) {
#pragma GCC unroll 6
    for (int k = 0; k + 16 <= count; k += 16) memcpy(to + k, from + k, 16 * sizeof(float));
    if (count % 16) memcpy(to + count - 16, from + count - 16, 16 * sizeof(float));
}

static const float deck_factor[CARDS + 3] = {1,   1,   1,   1,   1,   1,   1,   1,   1,   1,   1,   1,   1,   1,   1, 1,
                                             .5f, .5f, .5f, .5f, .5f, .5f, .5f, .5f, .5f, .5f, .5f, .5f, .5f, 0,   0, 0};

/* The public part of a row up to the deck. */
ALWAYS void write_head(const game *g, const edition *e, int players, float *to) {
    int fatal = 0, gems = 0;
    for (int trap = 0; trap < TRAPS; trap++) fatal += g->on_path[trap] * g->deck[FIRST_TRAP + trap];
    for (int slot = 0; slot < TREASURES; slot++) gems += g->deck[slot] * e->share[g->num_inside][slot];
    const float size = g->deck_size;
    to[0] = players * .25f;
    to[1] = g->num_inside * .25f;
    to[2] = g->expedition * .25f;
    to[3] = (e->num_expeditions - g->expedition) * .25f;
    to[4] = g->turn * .125f;
    to[5] = g->bag * .125f;
    to[6] = g->path_gems * .125f;
    to[7] = g->path_relics;
    to[8] = g->path_relic_value * .125f;
    to[9] = g->relics_taken * .5f;
    to[10] = e->hidden_chests;
    to[11] = 8 * (float)fatal / size;
    to[12] = (float)gems / size;
}

/* The public part of a row, the same for all seats. */
ALWAYS void write_public(const game *g, const edition *e, int players, float *to) {
    write_head(g, e, players, to);
    for (int card = 0; card < CARDS + 3; card++) to[DECK + card] = g->deck[card] * deck_factor[card];
    for (int trap = 0; trap < TRAPS; trap++) to[ON_PATH + trap] = g->on_path[trap];
}

ALWAYS void write_rows(const game *g, const edition *e, int players, float *rows) {
    const int table = players * SEAT, shared = FEATURES - table;
    float ring[2 * PLAYERS * SEAT]; /* the seats, twice around the table */
    float end[FEATURES];            /* of a row: zeros for absent rivals, then the public part */
    float lead[PLAYERS];
    int best = -1, second = -1, open = !e->hidden_chests;
    for (int k = 0; k < PLAYERS * SEAT - table; k++) end[k] = 0;
    write_public(g, e, players, end + PLAYERS * SEAT - table);
    for (int seat = 0; seat < players; seat++) {
        float *to = ring + seat * SEAT;
        to[0] = to[table + 0] = g->inside[seat];
        to[1] = to[table + 1] = (float)(g->chest[seat] * open) * .03125f;
        to[2] = to[table + 2] = g->relics[seat] * .5f;
        to[3] = to[table + 3] = g->left_turn[seat] * .125f;
        to[4] = to[table + 4] = 1;
        int chest = g->chest[seat], lower = chest < best ? chest : best;
        second = second > lower ? second : lower;
        best = best > chest ? best : chest;
    }
    for (int seat = 0; seat < players; seat++) {
        int rival = g->chest[seat] == best ? second : best;
        lead[seat] = open && players > 1 ? (float)(g->chest[seat] - rival) * .0625f : 0;
    }
    for (int seat = 0; seat < players; seat++) {
        float *row = rows + seat * FEATURES;
        for (int k = 0; k < table; k++) row[k] = ring[seat * SEAT + k];
        row[1] = g->chest[seat] * .03125f;
        row[4] = lead[seat];
        copy(row + table, end, shared);
    }
}

/* Writes what a card changes: numbers of the head, the card's count and, for a trap, its place on the path. */
ALWAYS void write_card(const game *g, const edition *e, int players, int card, float *rows) {
    float head[HEAD], left = g->deck[card] * deck_factor[card];
    int on_path = card >= FIRST_TRAP && card < FIRST_RELIC ? ON_PATH + card - FIRST_TRAP : DECK + card;
    write_head(g, e, players, head);
    for (int seat = 0; seat < players; seat++) {
        float *to = rows + seat * FEATURES + PLAYERS * SEAT;
        for (int k = 4; k < 9; k++) to[k] = head[k]; /* the others change only when a seat leaves */
        to[11] = head[11];
        to[12] = head[12];
        to[on_path] = 1; /* for other cards the next line overwrites it */
        to[DECK + card] = left;
    }
}

ALWAYS void step(game *games, int count, const edition *e, int players, const int8_t *actions, float *rows,
                 float *rewards, uint8_t *done, int auto_reset, int incremental) {
    int8_t changed[BLOCK];
    const size_t size = (size_t)players * FEATURES;
    const int large = (size_t)count * size * sizeof(float) > LARGE;
    for (int first = 0; first < count; first += BLOCK) { /* rules first, against store-forwarding stalls */
        int last = first + BLOCK < count ? first + BLOCK : count;
        for (int i = first; i < last; i++) {
            game *g = &games[i];
            changed[i - first] = (int8_t)play_turn(g, e, players, actions + i * players, rewards + i * players);
            done[i] = (uint8_t)g->over;
            if (g->over && auto_reset) {
                changed[i - first] = EVERYTHING;
                start_game(g, e, players, mix(g->key ^ 0xD1B54A32D192ED03ull, 0));
                reveal_first(g, e, players);
            }
        }
        for (int i = first; i < last && rows; i++) {
            float *to = rows + (size_t)i * size;
            for (size_t place = 0; place < size && large; place += 16) __builtin_prefetch(to + AHEAD * size + place, 1);
            int card = incremental ? changed[i - first] : EVERYTHING;
            if (card >= 0) write_card(&games[i], e, players, card, to);
            if (card == EVERYTHING) write_rows(&games[i], e, players, to);
        }
    }
}

void reference_reset(game *games, int count, const edition *e, int players, uint64_t seed, float *rows) {
    for (int i = 0; i < count; i++) {
        start_game(&games[i], e, players, mix(mix(seed + (uint64_t)i, 0), 0));
        reveal_first(&games[i], e, players);
        if (rows) write_rows(&games[i], e, players, rows + (size_t)i * (size_t)players * FEATURES);
    }
}

/* Without `rows` plays the rules alone. If `incremental`, `rows` must hold what the last step or reset wrote. */
void reference_step(game *games, int count, const edition *e, int players, const int8_t *actions, float *rows,
                    float *rewards, uint8_t *done, int auto_reset, int incremental) {
/* With a constant number of players the compiler knows the length of every loop. */
#define TABLE(n)                                                                              \
    case n:                                                                                   \
        incremental ? step(games, count, e, n, actions, rows, rewards, done, auto_reset, 1)   \
                    : step(games, count, e, n, actions, rows, rewards, done, auto_reset, 0);  \
        break;
    switch (players) { TABLE(1) TABLE(2) TABLE(3) TABLE(4) TABLE(5) TABLE(6) TABLE(7) TABLE(8) }
#undef TABLE
}

/* The same step in C without vector types: what an experienced programmer writes who leaves the vectors to gcc.
 *
 * The record and the rules are those of `diamant_env/rules.py`; what all seats share is computed once and copied to each
 * row, rivals are slices of arrays that hold the seats twice. `reference.c` is faster; this one says how much of that is
 * the language and how much its tricks. One edition and table size per call; actions are not checked.
 */
#include <stdint.h>
#include <string.h>

enum { PLAYERS = 8, RIVALS = 7, TREASURES = 16, TRAPS = 8, RELICS = 5, FIRST_TRAP = 16, FIRST_RELIC = 24, CARDS = 29 };
enum { FEATURES = 90, SHARED = 57, FIRST_SHARED = 5, FIRST_RIVAL = 62 };

typedef struct {
    int8_t cards[CARDS];
    int16_t treasure_value[TREASURES];
    int16_t relic_value[RELICS];
    int8_t num_relics, one_relic_per_expedition, relics_printed, num_expeditions, bust_removes, hidden_chests;
} edition;

typedef struct {
    uint64_t key;
    int8_t over, expedition, turn, num_inside, deck_size, relics_taken, path_relics;
    int16_t path_relic_value, path_gems, bag;
    int16_t chest[PLAYERS];
    int8_t relics[PLAYERS], inside[PLAYERS], left_turn[PLAYERS], deck[CARDS], on_path[TRAPS];
} game;

size_t scalar_game_bytes(void) { return sizeof(game); }

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
    memcpy(g->deck, e->cards, sizeof g->deck);
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

/* Turns up one card; returns whether the expedition ended. */
static int reveal(game *g, const edition *e, int players) {
    uint64_t bits = mix(g->key, (uint64_t)(g->expedition * 128 + g->turn)) >> 32;
    int position = (int)(bits * (uint64_t)g->deck_size >> 32), card = 0;
    while ((position -= g->deck[card]) >= 0) card++;
    g->deck[card]--;
    g->deck_size--;
    g->turn++;
    if (card < FIRST_TRAP) {
        unsigned value = (unsigned)e->treasure_value[card], inside = (unsigned)g->num_inside;
        g->bag += value / inside;
        g->path_gems += value % inside;
    } else if (card >= FIRST_RELIC) {
        int order = e->relics_printed ? card - FIRST_RELIC : g->relics_taken + g->path_relics;
        g->path_relics++;
        g->path_relic_value += e->relic_value[order];
    } else if (!g->on_path[card - FIRST_TRAP]) {
        g->on_path[card - FIRST_TRAP] = 1;
    } else {
        g->deck[card] += 1 - e->bust_removes;
        end_expedition(g, e, players);
        return !g->over;
    }
    return 0;
}

static void play_turn(game *g, const edition *e, int players, const int8_t *actions, float *rewards) {
    int leaves[PLAYERS], leavers = 0;
    for (int seat = 0; seat < players; seat++) {
        leaves[seat] = g->inside[seat] & actions[seat];
        leavers += leaves[seat];
        rewards[seat] = 0;
    }
    if (g->over) return;
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
        if (g->over) return;
    }
    while (reveal(g, e, players)) continue;
}

static void write_shared(const game *g, const edition *e, int players, float *to) {
    int fatal = 0, gems = 0, inside = g->num_inside;
    for (int trap = 0; trap < TRAPS; trap++) fatal += g->on_path[trap] * g->deck[FIRST_TRAP + trap];
    for (int slot = 0; slot < TREASURES && inside; slot++) gems += g->deck[slot] * (e->treasure_value[slot] / inside);
    const float size = g->deck_size;
    const float scalars[13] = {players * .25f,
                               inside * .25f,
                               g->expedition * .25f,
                               (e->num_expeditions - g->expedition) * .25f,
                               g->turn * .125f,
                               g->bag * .125f,
                               g->path_gems * .125f,
                               g->path_relics,
                               g->path_relic_value * .125f,
                               g->relics_taken * .5f,
                               e->hidden_chests,
                               8 * (float)fatal / size,
                               (float)gems / size};
    memcpy(to, scalars, sizeof scalars);
    for (int slot = 0; slot < TREASURES; slot++) to[13 + slot] = g->deck[slot];
    for (int trap = 0; trap < TRAPS; trap++) to[29 + trap] = g->deck[FIRST_TRAP + trap] * .5f;
    for (int trap = 0; trap < TRAPS; trap++) to[37 + trap] = g->on_path[trap];
    for (int relic = 0; relic < RELICS; relic++) to[45 + relic] = g->deck[FIRST_RELIC + relic] * .5f;
    for (int rival = 0; rival < RIVALS; rival++) to[50 + rival] = rival + 1 < players;
}

static inline __attribute__((always_inline)) void write_rows(const game *g, const edition *e, int players, float *rows) {
    float shared[SHARED], twice[4][2 * PLAYERS];
    int best = -1, second = -1, open = !e->hidden_chests;
    write_shared(g, e, players, shared);
    for (int seat = 0; seat < players; seat++) {
        twice[0][seat] = twice[0][seat + players] = g->inside[seat];
        twice[1][seat] = twice[1][seat + players] = (float)(g->chest[seat] * open) * .03125f;
        twice[2][seat] = twice[2][seat + players] = (float)(g->relics[seat] * open) * .5f;
        twice[3][seat] = twice[3][seat + players] = g->left_turn[seat] * .125f;
        if (g->chest[seat] > best) second = best, best = g->chest[seat];
        else if (g->chest[seat] > second) second = g->chest[seat];
    }
    for (int seat = 0; seat < players; seat++) {
        float *row = rows + seat * FEATURES;
        int rival = g->chest[seat] == best ? second : best;
        row[0] = g->inside[seat];
        row[1] = g->chest[seat] * .03125f;
        row[2] = g->relics[seat] * .5f;
        row[3] = g->left_turn[seat] * .125f;
        row[4] = open && players > 1 ? (float)(g->chest[seat] - rival) * .0625f : 0;
        memcpy(row + FIRST_SHARED, shared, sizeof shared);
        for (int part = 0; part < 4; part++) {
            float *to = row + FIRST_RIVAL + part * RIVALS;
            memcpy(to, twice[part] + seat + 1, sizeof(float) * (size_t)(players - 1));
            memset(to + players - 1, 0, sizeof(float) * (size_t)(PLAYERS - players));
        }
    }
}

static inline __attribute__((always_inline)) void step(game *games, int count, const edition *e, int players,
                                                       const int8_t *actions, float *rows, float *rewards, uint8_t *done,
                                                       int auto_reset) {
    for (int i = 0; i < count; i++) {
        game *g = &games[i];
        play_turn(g, e, players, actions + i * players, rewards + i * players);
        done[i] = (uint8_t)g->over;
        if (g->over && auto_reset) {
            start_game(g, e, players, mix(g->key ^ 0xD1B54A32D192ED03ull, 0));
            while (reveal(g, e, players)) continue;
        }
        if (rows) write_rows(g, e, players, rows + (size_t)i * (size_t)players * FEATURES);
    }
}

void scalar_reset(game *games, int count, const edition *e, int players, uint64_t seed, float *rows) {
    for (int i = 0; i < count; i++) {
        start_game(&games[i], e, players, mix(mix(seed + (uint64_t)i, 0), 0));
        while (reveal(&games[i], e, players)) continue;
        if (rows) write_rows(&games[i], e, players, rows + (size_t)i * (size_t)players * FEATURES);
    }
}

/* Without `rows`, the rules alone. */
void scalar_step(game *games, int count, const edition *e, int players, const int8_t *actions, float *rows, float *rewards,
                uint8_t *done, int auto_reset) {
    switch (players) { /* for each size, loops of known length */
        case 1: step(games, count, e, 1, actions, rows, rewards, done, auto_reset); break;
        case 2: step(games, count, e, 2, actions, rows, rewards, done, auto_reset); break;
        case 3: step(games, count, e, 3, actions, rows, rewards, done, auto_reset); break;
        case 4: step(games, count, e, 4, actions, rows, rewards, done, auto_reset); break;
        case 5: step(games, count, e, 5, actions, rows, rewards, done, auto_reset); break;
        case 6: step(games, count, e, 6, actions, rows, rewards, done, auto_reset); break;
        case 7: step(games, count, e, 7, actions, rows, rewards, done, auto_reset); break;
        case 8: step(games, count, e, 8, actions, rows, rewards, done, auto_reset); break;
    }
}

/* The rival: the same step as diamant_env's engine, written by hand in C for one table size and one edition.
 *
 * It plays the same games byte for byte (keys, cards, observations, score rewards, done, auto-reset) and does what
 * an expert would do who need not care for readers:
 *   - a game is two cache lines; the deck is kept as cumulative counts, so that a draw is one comparison of 32 bytes;
 *   - seats are bytes of a 64-bit word: leaving, banking and rewarding are word operations without a branch;
 *   - shares and remainders of a treasure come from tables per edition;
 *   - the rules run for a block of games first and the rows are written after that, so that no load waits for a store;
 *   - what all seats share is converted once and stays in registers, seats are permutations of registers, a row is
 *     six stores of 64 bytes; rows that leave the caches anyway are written past them;
 *   - everything is compiled once per table size.
 * It does less than the engine: actions are not checked, tables and editions are not mixed, nobody may watch.
 */
#include "reference_vectors.h"
#include "reference_rules.h"
#include "reference_rows.h"

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

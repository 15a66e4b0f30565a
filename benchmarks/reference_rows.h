/* Observations: what changed, or all of it, written row by row. Part of reference.c. */
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

/* Observations: what changed, or all of it, written row by row. Part of reference.c.
 *
 * A row is 40 numbers about seats, five each from the observer's on, and 50 that all see. It is written as three
 * vectors from number 0 on, permutations of the seats', and three vectors from number 42 on, the same for all seats.
 */
enum { SEAT = 5, TABLE = SEAT * PLAYERS, PUBLIC = TABLE + 2, CHUNKS = 3, LEAD = 4 };

typedef struct {
    floats16 front;                 /* in the upper half, numbers 40 to 47 */
    floats16 first, second, third;  /* numbers 42 to 57, 58 to 73 and 74 to 89 */
    floats16 own_1, own_2;          /* inside and chest, relics and left_turn, eight seats each */
    floats16 rivals_1, rivals_2;    /* the same with what is hidden at 0 */
    floats16 lead;                  /* of each seat, in the first eight */
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

/* What all see. */
ALWAYS void view_cave(const game *g, const edition *e, shared_view *v) {
    const floats16 scale = {0, 0, 0, 0, 0, .25f, .25f, .25f, .25f, .125f, .125f, .125f, 1, .125f, .5f, 1};
    floats16 head = floats_of_head(g->head) * scale;

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
    floats16 begin = __builtin_shufflevector(head, chances, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 0, 0, 0, 0, 0);
    v->front = __builtin_shufflevector(head, head, 0, 0, 0, 0, 0, 0, 0, 0, 5, 6, 7, 8, 9, 10, 11, 12);
    v->first = __builtin_shufflevector(begin, treasures, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 16, 17, 18, 19, 20);
    v->second = __builtin_shufflevector(treasures, traps_relics, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20);
    v->third = __builtin_shufflevector(traps_relics, on_path, 5, 6, 7, 8, 9, 10, 11, 12, 16, 17, 18, 19, 20, 21, 22, 23);
}

/* What is known of each seat. */
ALWAYS void view_seats(const game *g, const edition *e, int players, shared_view *v) {
    floats8 chest = floats_of_shorts(g->chest);
    floats8 inside = floats_of_word(g->inside);
    floats8 relics = floats_of_word(g->relics) * .5f;
    floats8 left = floats_of_word(g->left_turn) * .125f;
    floats8 lead = {0};
    if (players > 1) lead = (chest - best_of_others(chest, players)) * .0625f;
    chest *= .03125f;
    v->own_1 = JOIN(inside, chest);
    v->own_2 = JOIN(relics, left);
    ints8 open = (ints8){0} + (e->hidden - 1);
    v->rivals_1 = JOIN(inside, (floats8)((ints8)chest & open));
    v->rivals_2 = JOIN((floats8)((ints8)relics & open), left);
    lead = (floats8)((ints8)lead & open);
    v->lead = JOIN(lead, lead);
}

/* Where the numbers about seats come from in the seats' two vectors: those of one seat lie eight apart. In memory, since
 * gcc 12 gets some permutations wrong that it knows at compile time. */
static ints16 seats_from[PLAYERS + 1][PLAYERS][CHUNKS];

static void prepare_rows(void) {
    for (int players = 1; players <= PLAYERS; players++)
        for (int seat = 0; seat < players; seat++)
            for (int place = 0; place < 16 * CHUNKS; place++)
                seats_from[players][seat][place / 16][place % 16] = place % SEAT * 8 % 32 + (seat + place / SEAT) % players;
}

/* The bits of numbers 16 * chunk and later: those to keep of a permutation, those of "present". */
ALWAYS ints16 kept(int chunk, int players) {
    ints16 bits;
    for (int i = 0; i < 16; i++) bits[i] = -(16 * chunk + i < SEAT * players && (16 * chunk + i) % SEAT != LEAD);
    return bits;
}

ALWAYS ints16 present(int chunk, int players) {
    ints16 bits;
    for (int i = 0; i < 16; i++)
        bits[i] = 16 * chunk + i < SEAT * players && (16 * chunk + i) % SEAT == LEAD ? 0x3f800000 : 0; /* 1.0f */
    return bits;
}

#define STORE(where, vector) memcpy(where, &(vector), sizeof(vector))

/* Numbers 0 to 47. */
ALWAYS void write_seats(const shared_view *v, int seat, int players, int hidden, float *row) {
    const ints16 *from = seats_from[players][seat];
#pragma GCC unroll 3
    for (int chunk = 0; chunk < CHUNKS; chunk++) {
        ints16 part = {0};
        if (16 * chunk < SEAT * players) { /* else nobody is there */
            part = (ints16)__builtin_shuffle(v->rivals_1, v->rivals_2, from[chunk]);
            part = (part & kept(chunk, players)) | present(chunk, players);
        }
        floats16 numbers = (floats16)part;
        if (chunk == 0) {
            const ints16 own = {0, 17, 18, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
            const ints16 lead = {0, 1, 2, 3, 16 + seat, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
            if (hidden) numbers = __builtin_shuffle(numbers, __builtin_shuffle(v->own_1, v->own_2, from[0]), own);
            numbers = __builtin_shuffle(numbers, v->lead, lead);
        }
        if (chunk == 2) {
            const ints16 front = {0, 1, 2, 3, 4, 5, 6, 7, 24, 25, 26, 27, 28, 29, 30, 31};
            numbers = __builtin_shuffle(numbers, v->front, front);
        }
        STORE(row + 16 * chunk, numbers);
    }
}

ALWAYS void write_public(const shared_view *v, float *row) {
    STORE(row + PUBLIC, v->first);
    STORE(row + PUBLIC + 16, v->second);
    STORE(row + PUBLIC + 32, v->third);
}

ALWAYS void write_rows(const shared_view *v, int players, int hidden, float *rows) {
#pragma GCC unroll 8
    for (int seat = 0; seat < players; seat++) {
        write_seats(v, seat, players, hidden, rows + seat * FEATURES);
        write_public(v, rows + seat * FEATURES);
    }
}

ALWAYS void write_game(const game *g, const edition *e, int players, float *rows) {
    shared_view v;
    view_cave(g, e, &v);
    view_seats(g, e, players, &v);
    if (RARE(e->hidden))
        write_rows(&v, players, 1, rows);
    else
        write_rows(&v, players, 0, rows);
}

/* Who leaves changes all vectors; a card changes the public ones, and a treasure not the last of them. */
ALWAYS void write_changes(const game *g, const edition *e, int players, change what, float *rows) {
    if (what.level == NOTHING) return;
    if (what.level != CARD_ONLY) {
        write_game(g, e, players, rows);
        return;
    }
    shared_view v;
    view_cave(g, e, &v);
    int treasure = what.card < FIRST_TRAP;
#pragma GCC unroll 8
    for (int seat = 0; seat < players; seat++) {
        float *row = rows + seat * FEATURES;
        STORE(row + PUBLIC, v.first);
        STORE(row + PUBLIC + 16, v.second);
        if (!treasure) STORE(row + PUBLIC + 32, v.third);
    }
}

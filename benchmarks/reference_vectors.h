/* Vector types and what gcc must be told about them. Part of reference.c. */
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

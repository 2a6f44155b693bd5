// Masked, gathering and narrowing intrinsics of the x86. Behind each line: its events, in order.
#include <immintrin.h>

struct cell { int key, value; };
static int data[64] __attribute__((aligned(64)));
static struct cell cells[16];
static double reals[16];
int *volatile ints = data;
struct cell *volatile many = cells;
double *volatile doubles = reals;
volatile int four = 4;
// No constant: those become plain loads and stores.
volatile __v8si chosen = {-1, 0, -1, 0, 0, -1, 0, 0};

__attribute__((noinline, target("avx2"))) static int avx2(int *p, struct cell *c, double *d) {
  __m256i index = _mm256_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14);
  __m256i mask = (__m256i)chosen;
  __m128i half = _mm256_castsi256_si128(mask);
  __m256i v = _mm256_maskload_epi32(p, mask); // masked-load mask=25 4 int
  _mm256_maskstore_epi32(p, mask, v); // masked-store mask=25 4 int
  __m256d w = _mm256_maskload_pd(d, _mm256_cvtepi32_epi64(half)); // masked-load mask=5 8 double
  _mm_maskstore_pd(d, _mm256_castsi256_si128(_mm256_cvtepi32_epi64(half)), _mm256_castpd256_pd128(w)); // masked-store mask=1 8 double
  __m256i g = _mm256_i32gather_epi32(&c->value, index, 4); // gather lanes=8/8 4 struct cell
  g = _mm256_mask_i32gather_epi32(g, p, index, mask, 4); // gather lanes=3/8 4 int
  __m128i q = _mm256_mask_i64gather_epi32(half, p, _mm256_cvtepi32_epi64(half), half, 4); // gather lanes=2/4 4 int
  __m128i r = _mm_mask_i64gather_epi32(half, p, _mm_set_epi64x(1, 0), half, 4); // gather lanes=1/2 4 int
  __m128d e = _mm_i32gather_pd(d, _mm256_castsi256_si128(index), 8); // gather lanes=2/2 8 double
  _mm_maskmoveu_si128(q, half, (char *)p); // masked-store mask=f0f 1 int
  v = _mm256_add_epi32(_mm256_add_epi32(v, g), _mm256_lddqu_si256((const __m256i *)p)); // load 32 int
  return _mm256_extract_epi32(v, 0) + _mm_extract_epi32(r, 0) + (int)e[0];
}

__attribute__((noinline, target("avx512f,avx512vl,avx512bw"))) static int avx512(int *p, int n) {
  __mmask16 mask = 1 << n | 3;
  __m512i index = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 15, 14, 13, 12, 11, 10, 9, 8);
  __m512i g = _mm512_mask_i32gather_epi32(index, mask, index, p, 4); // gather lanes=3/16 4 int
  _mm512_mask_i32scatter_epi32(p, mask, index, g, 4); // scatter lanes=3/16 4 int
  _mm512_mask_cvtepi32_storeu_epi8(p, mask, g); // masked-store mask=13 1 int
  _mm_mask_cvtepi64_storeu_epi16(p, mask, _mm512_castsi512_si128(g)); // masked-store mask=3 2 int
  __m128i few = _mm_mmask_i64gather_epi32(_mm512_castsi512_si128(g), mask & 1, _mm_set_epi64x(1, 0), p, 4); // gather lanes=1/2 4 int
  _mm_mask_i64scatter_epi32(p, mask & 2, _mm_set_epi64x(1, 0), few, 4); // scatter lanes=1/2 4 int
  return _mm512_cvtsi512_si32(g);
}

int main(void) {
  int result = 0;
  if (__builtin_cpu_supports("avx2"))
    result += avx2(ints, many, doubles);
  if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
    result += avx512(ints, four);
  return result;
}

// What each access touches of `area`, an object on a page of its own; the program says where it is. Optimised, the accesses are exactly the ones beside the lines.
#include <immintrin.h>
#include <stdio.h>

struct area { long words[8]; int lanes[32]; };
static struct area area __attribute__((aligned(4096)));
struct area *volatile given = &area;
volatile __v8si chosen = {-1, 0, -1, 0, 0, -1, 0, 0};

struct five { long words[5]; };
__attribute__((noinline)) long last(struct five f) { return f.words[4]; }

__attribute__((noinline, target("avx2"))) static int gathered(struct area *a) {
  __m256i mask = (__m256i)chosen;
  __m256i index = _mm256_setr_epi32(0, 9, -16, 9, 9, 7, 9, 9);
  __m256i g = _mm256_mask_i32gather_epi32(mask, a->lanes + 16, index, mask, 4); // r 128 4, r 64 4, r 156 4
  _mm256_maskstore_epi32(a->lanes, mask, g);                                    // w 64 4, w 72 4, w 84 4
  return _mm256_extract_epi32(g, 0);
}

int main(void) {
  struct area *a = given;
  printf("%lx\n", (unsigned long)a);
  long result = last(*(struct five *)(a->words + 2));                               // r 16 40
  __asm__ volatile("addq $1, %0" : "+m"(a->words[7]));                            // r 56 8, w 56 8
  __asm__ volatile("nop" : "=m"(*(struct five *)(a->words + 6)) : "m"(a->words[0])); // r 0 8, w 48 40
  return result + gathered(a);
}

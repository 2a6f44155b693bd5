// Numbers that vectors gather, and load with masks, out of records.
#include <immintrin.h>
#include <stdio.h>
#include <stdlib.h>

enum { RECORDS = 2000, VISITS = 4000 };
struct record {
  double weight[4];
  char name[24];
  long key;
};
static struct record *records[RECORDS];

#define WEIGHT(i) records[(i) % RECORDS]->weight

int main(void) {
  for (int i = 0; i < RECORDS; i++) {
    records[i] = malloc(sizeof(struct record));
    records[i]->key = i;
  }
  __m256d sum = _mm256_setzero_pd();
  const __m256i mask = _mm256_set_epi64x(0, -1, -1, 0);
  for (int i = 0; i < VISITS; i++) {
    const long long first = (long long)&WEIGHT(i * 7)[0], second = (long long)&WEIGHT(i * 7 + 501)[1];
    const long long third = (long long)&WEIGHT(i * 7 + 1003)[2], last = (long long)&WEIGHT(i * 7 + 1507)[3];
    const __m256i places = _mm256_set_epi64x(last, third, second, first);
    sum = _mm256_add_pd(sum, _mm256_i64gather_pd((const double *)0, places, 1));
    sum = _mm256_add_pd(sum, _mm256_maskload_pd(WEIGHT(i), mask));
  }
  printf("%f\n", _mm256_cvtsd_f64(sum));
}

// Kernels as NAS has them: a conjugate gradient, a bucket sort, a transposition. How often each element is referenced
// follows from the loops, and not from the number of threads T.
#include <omp.h>
#include <stdio.h>
#include <string.h>

enum { N = 96, NONZERO = 5, ITERATIONS = 3, KEYS = 480, BUCKETS = 16, SIDE = 32 };

struct entry {
  double value;
  int column;
};
static struct entry matrix[N][NONZERO];
struct element {
  double p, q, r, z;
};
static struct element vector[N];

// Each iteration loads an entry twice; of an element it loads NONZERO + 9 fields and stores 4.
static double conjugate_gradient(void) {
#pragma omp parallel for
  for (int i = 0; i < N; i++) { // stores 2 fields of each entry, 3 of each element
    for (int k = 0; k < NONZERO; k++) {
      matrix[i][k].value = k == 0 ? 8 : -1;
      matrix[i][k].column = (i + k * k) % N;
    }
    vector[i].r = vector[i].p = i % 7;
    vector[i].z = 0;
  }
  double rho = 1;
  for (int iteration = 0; iteration < ITERATIONS; iteration++) {
    double d = 0, next = 0;
#pragma omp parallel for
    for (int i = 0; i < N; i++) {
      double sum = 0;
      for (int k = 0; k < NONZERO; k++) sum += matrix[i][k].value * vector[matrix[i][k].column].p;
      vector[i].q = sum;
    }
#pragma omp parallel for reduction(+ : d)
    for (int i = 0; i < N; i++) d += vector[i].p * vector[i].q;
    double alpha = rho / d;
#pragma omp parallel for
    for (int i = 0; i < N; i++) {
      vector[i].z += alpha * vector[i].p;
      vector[i].r -= alpha * vector[i].q;
    }
#pragma omp parallel for reduction(+ : next)
    for (int i = 0; i < N; i++) next += vector[i].r * vector[i].r;
    double beta = next / rho;
    rho = next;
#pragma omp parallel for
    for (int i = 0; i < N; i++) vector[i].p = vector[i].r + beta * vector[i].p;
  }
  return rho;
}

struct key {
  int value;
};
struct rank {
  int value;
};
struct bucket {
  int count, start;
};
static struct key keys[KEYS];
static struct rank ranks[KEYS];
static struct bucket buckets[BUCKETS];

// A key is stored once and loaded twice; a rank is stored once.
static int bucket_sort(void) {
#pragma omp parallel
  {
    int local[BUCKETS];
    memset(local, 0, sizeof local);
#pragma omp for schedule(static)
    for (int i = 0; i < KEYS; i++) keys[i].value = i * 7 % BUCKETS;
#pragma omp for schedule(static)
    for (int i = 0; i < KEYS; i++) local[keys[i].value]++;
#pragma omp critical(merge) // T times; each loads and stores every count
    for (int b = 0; b < BUCKETS; b++) buckets[b].count += local[b];
#pragma omp barrier
#pragma omp single // loads BUCKETS - 1 counts, stores BUCKETS starts
    {
      int start = 0;
      for (int b = 0; b < BUCKETS; b++) {
        buckets[b].start = start;
        if (b < BUCKETS - 1) start += buckets[b].count;
      }
    }
#pragma omp for schedule(dynamic, 16)
    for (int i = 0; i < KEYS; i++) { // an atomic on a start for each key
      int at, value = keys[i].value;
#pragma omp atomic capture
      at = buckets[value].start++;
      ranks[at].value = value;
    }
  }
  int wrong = 0;
  for (int i = 1; i < KEYS; i++) wrong += ranks[i].value < ranks[i - 1].value; // loads each once
  return wrong;
}

struct complex {
  double re, im;
};
static struct complex from[SIDE][SIDE], to[SIDE][SIDE];

// Each element of one is stored once and loaded once, then one of the other stored.
static void transpose(void) {
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (int i = 0; i < SIDE; i++)
      for (int j = 0; j < SIDE; j++) {
        from[i][j].re = i;
        from[i][j].im = j;
      }
#pragma omp for schedule(static)
    for (int i = 0; i < SIDE; i++)
      for (int j = 0; j < SIDE; j++) {
        to[i][j].re = from[j][i].re;
        to[i][j].im = -from[j][i].im;
      }
  }
}

int main(int count, char **words) {
  if (count > 1 && strcmp(words[1], "transpose") == 0) {
    transpose();
    printf("%g\n", to[3][5].im);
    return 0;
  }
  double rho = conjugate_gradient();
  int wrong = bucket_sort();
  printf("%.6f %d\n", rho, wrong);
  return wrong;
}

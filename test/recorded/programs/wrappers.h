#include <stddef.h>
#include <stdint.h>
typedef uint64_t count_t;
struct matrix {
  double *cells;
  int n;
};
double *allocate(size_t n);
count_t *allocate_counts(size_t n);
double **alloc_2d(int n, int m);
double ***alloc_3d(int n, int m, int k);
void *alloc_data(size_t n, int size);
double *line_aligned(size_t n);
struct matrix *new_matrix(int n);
double *cached(size_t n);

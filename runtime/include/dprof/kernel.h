/* The interface of a kernel in C or C++: `dprof kernel FILE.c TRACE` compiles it and calls it with every reference of a
 * replay, in order, on one thread. docs/kernels.md. */
#ifndef DPROF_KERNEL_H
#define DPROF_KERNEL_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "arrow.h"

/* Changes when the structs do. */
#define DPROF_KERNEL_VERSION 2

/* Values of one column of a batch. */
struct dprof_kernel_column {
  const char *name;
  const void *values;       /* unsigned numbers of so many bytes; of 8 bytes: double, in `value` uint64_t */
  uint32_t bytes;           /* 1, 2, 4 or 8 */
  uint32_t word_count;      /* of words: values are places in `words`; `word_count` is the place of none */
  const char *const *words; /* NULL: numbers */
  const uint8_t *known;     /* of `value`: bit row % 8 of byte row / 8 says whether it is known; else NULL */
};

struct dprof_kernel_rows {
  size_t count;
  const struct dprof_kernel_column *columns; /* as the kernel names them */
};

struct dprof_kernel_functions {
  uint32_t version;           /* DPROF_KERNEL_VERSION */
  const char *const *columns; /* names of columns of a stream (docs/stream.md), then NULL */
  void *(*start)(void);       /* the state; may be NULL */
  void (*batch)(void *state, const struct dprof_kernel_rows *rows);
  void (*end)(void *state, FILE *answer); /* prints the answer, and frees the state */
};

/* The same for libraries that take Arrow's C stream: columns are fields of a struct, words dictionaries, and what is
 * not known is null. */
struct dprof_arrow_kernel_functions {
  uint32_t version; /* DPROF_KERNEL_VERSION */
  const char *const *columns;
  /* Takes arrays until there are none, and prints the answer. It may take fewer, and keep what it took until it
   * returns. 0: all went well. */
  int (*run)(struct ArrowArrayStream *references, FILE *answer);
};

#ifdef __cplusplus
extern "C" {
#endif
/* The file defines one of them. */
extern const struct dprof_kernel_functions dprof_kernel;
extern const struct dprof_arrow_kernel_functions dprof_arrow_kernel;
#ifdef __cplusplus
}
#endif

/* Only for columns of 1, 2 or 4 bytes. */
static inline uint32_t dprof_kernel_value(const struct dprof_kernel_column *column, size_t row) {
  if (column->bytes == 1) return ((const uint8_t *)column->values)[row];
  return column->bytes == 2 ? ((const uint16_t *)column->values)[row] : ((const uint32_t *)column->values)[row];
}

/* Only for `value`. */
static inline int dprof_kernel_is_known(const struct dprof_kernel_column *column, size_t row) {
  return column->known[row / 8] >> row % 8 & 1;
}

/* Only for columns of words. NULL: none. */
static inline const char *dprof_kernel_word(const struct dprof_kernel_column *column, size_t row) {
  const uint32_t place = dprof_kernel_value(column, row);
  return place < column->word_count ? column->words[place] : NULL;
}

#endif

// Compresses and expands made-up text with zstd's library, at a fast and at a slow level. The argument says how many MiB.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

static uint32_t state = 12345;

static uint32_t draw(uint32_t below) {
  state = state * 1664525u + 1013904223u;
  return (uint32_t)((uint64_t)state * below >> 32);
}

// Words of a small vocabulary, frequent ones more often, and now and then a repeated stretch.
static void write_text(char *to, size_t size) {
  static char words[2000][12];
  for (int i = 0; i < 2000; i++)
    for (unsigned length = 3 + draw(7), j = 0; j < length; j++) words[i][j] = (char)('a' + draw(26));
  for (size_t at = 0; at < size;) {
    if (at > 4096 && draw(200) == 0) {
      size_t length = 32 + draw(400), from = at - 1 - draw(4000);
      for (size_t i = 0; i < length && at < size; i++) to[at++] = to[from + i];
      continue;
    }
    const char *word = words[draw(draw(2000) + 1)];
    for (size_t i = 0; word[i] && at < size; i++) to[at++] = word[i];
    if (at < size) to[at++] = draw(12) ? ' ' : '\n';
  }
}

int main(int argc, char **argv) {
  size_t size = (size_t)(argc > 1 ? atof(argv[1]) * 1048576 : 24 << 20), bound = ZSTD_compressBound(size);
  char *text = malloc(size), *packed = malloc(bound), *again = malloc(size);
  write_text(text, size);
  int levels[] = {1, 3, 9};
  for (int i = 0; i < 3; i++) {
    size_t bytes = ZSTD_compress(packed, bound, text, size, levels[i]);
    if (ZSTD_isError(bytes) || ZSTD_decompress(again, size, packed, bytes) != size || memcmp(text, again, size)) return 1;
    printf("%d: %zu\n", levels[i], bytes);
  }
  free(text);
  free(packed);
  free(again);
}

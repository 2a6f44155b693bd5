// Colours of a bitmap of black and white pixels, counted by four threads. A part's counts of black blue stand at its
// beginning, those of white red at its end: two threads count in one line. Fix: parts are aligned to lines.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef THREADS
#define THREADS 4
#endif
enum { PIXELS = 60000 };

struct part {
  int blue[256], green[256], red[256];
  const unsigned char *pixels;
#ifdef FIXED
} __attribute__((aligned(64)));
#else
};
#endif

static void *count(void *argument) {
  struct part *mine = argument;
  const unsigned char *pixels = mine->pixels;
  for (int i = 0; i < PIXELS; i++) {
    mine->blue[pixels[3 * i]]++;
    mine->green[pixels[3 * i + 1]]++;
    mine->red[pixels[3 * i + 2]]++; // the finding
  }
  return NULL;
}

int main(void) {
  unsigned char *bitmap = malloc(3 * PIXELS * THREADS);
  for (int i = 0; i < PIXELS * THREADS; i++)
    for (int colour = 0; colour < 3; colour++) bitmap[3 * i + colour] = i * 37 % 3 ? 255 : 0;
  const size_t bytes = sizeof(struct part) * THREADS;
  struct part *parts = aligned_alloc(64, (bytes + 63) / 64 * 64);
  pthread_t threads[THREADS];
  for (int t = 0; t < THREADS; t++) {
    parts[t] = (struct part){.pixels = bitmap + 3 * PIXELS * t};
    pthread_create(&threads[t], NULL, count, &parts[t]);
  }
  long white = 0;
  for (int t = 0; t < THREADS; t++) {
    pthread_join(threads[t], NULL);
    white += parts[t].red[255];
  }
  printf("%ld\n", white);
  free(bitmap);
  free(parts);
}

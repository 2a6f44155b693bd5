// Trains FANN's network to tell in which of a few subjects a text is, by the words that it has. Arguments: words of the
// vocabulary, hidden neurons, texts.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "floatfann.h"

enum { SUBJECTS = 4, WORDS_OF_TEXT = 200 };

static uint32_t state = 12345;

static uint32_t draw(uint32_t below) {
  state = state * 1664525u + 1013904223u;
  return (uint32_t)((uint64_t)state * below >> 32);
}

// A text has words of its subject more often than others.
static unsigned write_text(fann_type *has, unsigned vocabulary) {
  const unsigned subject = draw(SUBJECTS);
  memset(has, 0, vocabulary * sizeof *has);
  for (unsigned i = 0; i < WORDS_OF_TEXT; i++) {
    const unsigned word = draw(vocabulary);
    has[draw(3) ? word / SUBJECTS * SUBJECTS + subject : word] = 1;
  }
  return subject;
}

int main(int argc, char **argv) {
  const unsigned vocabulary = argc > 1 ? (unsigned)atoi(argv[1]) : 4000;
  const unsigned hidden = argc > 2 ? (unsigned)atoi(argv[2]) : 32;
  const unsigned texts = argc > 3 ? (unsigned)atoi(argv[3]) : 400;
  struct fann *network = fann_create_standard(3, vocabulary, hidden, SUBJECTS);
  srand(1);
  fann_randomize_weights(network, -0.05f, 0.05f);
  fann_type *has = malloc(vocabulary * sizeof *has), wanted[SUBJECTS];
  unsigned right = 0;
  for (unsigned text = 0; text < texts; text++) {
    const unsigned subject = write_text(has, vocabulary);
    const fann_type *said = fann_run(network, has);
    unsigned best = 0;
    for (unsigned i = 0; i < SUBJECTS; i++) {
      if (said[i] > said[best]) best = i;
      wanted[i] = i == subject;
    }
    right += best == subject;
    fann_train(network, has, wanted);
  }
  printf("%u of %u\n", right, texts);
  fann_destroy(network);
  free(has);
}

// An object in a mapping, which nobody announces, and one of malloc; a mapping of a file is none.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct subject {
  volatile long value, unused;
};

int main(int count, char **arguments) {
  struct subject *mapped = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  struct subject *also = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  const int file = open(arguments[0], O_RDONLY);
  const char *text = mmap(NULL, 4, PROT_READ, MAP_PRIVATE, file, 0);
  struct subject *one = malloc(sizeof *one);
  mapped->value = also->value = one->value = count;
  printf("%ld %c\n", mapped->value + also->value + one->value, text[1]);
  free(one);
  return 0;
}

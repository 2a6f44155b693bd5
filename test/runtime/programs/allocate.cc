// Each kind of allocation once, in this order, so that the events can be counted by hand.
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <new>

extern "C" {
#include "dprof/abi.h"
}

struct alignas(64) Wide { long a[16]; };

template <typename T> T *keep(T *p) {
  __asm__ volatile("" : "+r"(p) : : "memory");
  return p;
}

int main() {
  free(keep(malloc(101)));
  free(keep(calloc(2, 51)));
  void *grown = realloc(keep(realloc(nullptr, 103)), 100000);
  free(keep(grown));
  free(keep(reallocarray(nullptr, 2, 52)));
  free(keep(aligned_alloc(64, 128)));
  void *p = nullptr;
  if (posix_memalign(&p, 32, 107)) return 1;
  free(keep(p));
  free(keep(memalign(16, 108)));
  free(keep(valloc(109)));
  free(keep(strdup("0123456789")));
  free(nullptr);
  delete keep(new int);
  delete[] keep(new char[111]);
  delete keep(new Wide);
  operator delete(keep(operator new(113, std::nothrow)), std::nothrow);
  if (keep(malloc(~0ull >> 2))) return 2;
  void *map = mmap(nullptr, 5000, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  map = mremap(map, 8192, 16384, MREMAP_MAYMOVE);
  munmap(map, 16384);
  return 0;
}

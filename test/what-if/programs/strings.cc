// Records with a string and an array of the C++ library in them, of which size and alignment are known.
#include <array>
#include <cstdio>
#include <string>

struct record {
#ifdef CHANGED
  volatile long key, value;
  std::array<double, 9> place;
  std::string name;
#else
  volatile long key;
  std::array<double, 9> place;
  std::string name;
  volatile long value;
#endif
  record() { key = value = 1; }
};

int main() {
  static record records[200];
  long sum = 0;
  for (int round = 0; round < 9; round++)
    for (int i = 0; i < 200; i++) sum += records[i * 7 % 200].value += records[i * 7 % 200].key;
  std::printf("%ld\n", sum);
}

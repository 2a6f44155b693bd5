// Standard input -> the recorder's checksum of its first N bytes for each N, then of each pair of halves, one after the other; a line each.
#include <stdio.h>

#include <vector>

#include "../../../runtime/recorder/bytes.h"

int main() {
  std::vector<unsigned char> bytes;
  for (int c; (c = getchar()) != EOF;) bytes.push_back((unsigned char)c);
  for (size_t n = 0; n <= bytes.size(); n++) {
    std::vector<unsigned char> exact(bytes.begin(), bytes.begin() + (long)n); // nothing may be read behind it
    printf("%u %u\n", dprof::checksum(exact.data(), n), dprof::checksum(exact.data() + n / 2, n - n / 2, dprof::checksum(exact.data(), n / 2)));
  }
}

// The recorder's encoder by itself. Standard input, one step per line: "r RECORD WORD..." or "e CODE DETAIL WORD..." (hexadecimal
// words), "chunk" ends a chunk; output: the payload of each EVENTS chunk in hexadecimal, one per line. Records are those of
// instrumented.h. Argument 1: hand the words over in pieces of at most so many records.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <string>
#include <vector>

#include "../../../runtime/recorder/thread_encoder.h"

extern "C" const unsigned char test_unit_bytes[];
extern "C" const unsigned long test_unit_size;

using namespace dprof;

namespace {

constexpr uint64_t address = 0x7000;

bool encode(ThreadEncoder &encoder, std::vector<uint64_t> &words) {
  uint64_t used = 0;
  bool all = encoder.encode(words.data(), words.size(), &used) == Encoded::all && used == words.size();
  words.clear();
  return all;
}

void print_chunk(ThreadEncoder &encoder) {
  for (uint8_t byte : encoder.take_chunk()) printf("%02x", byte);
  printf("\n");
}

} // namespace

int main(int count, char **arguments) {
  size_t piece = count > 1 ? strtoul(arguments[1], nullptr, 10) : 1000;
  dprof_unit_header header;
  memcpy(&header, test_unit_bytes, sizeof header);
  RecordTable table;
  if (!table.add_module(test_unit_bytes, test_unit_size, address)) return 2;
  ThreadEncoder encoder(table);
  std::vector<uint64_t> words;
  size_t steps = 0;
  char line[4096];
  while (fgets(line, sizeof line, stdin)) {
    std::string kind = strtok(line, " \n");
    if (kind == "chunk") {
      if (!encode(encoder, words)) return 3;
      print_chunk(encoder);
      continue;
    }
    uint64_t code = strtoull(strtok(nullptr, " \n"), nullptr, 16);
    uint64_t detail = kind == "e" ? strtoull(strtok(nullptr, " \n"), nullptr, 16) : 0;
    std::vector<uint64_t> operands;
    while (const char *word = strtok(nullptr, " \n")) operands.push_back(strtoull(word, nullptr, 16));
    words.push_back(kind == "e" ? DPROF_EVENT_HEADER(code, operands.size(), detail) : address + header.records_offset + code * sizeof(dprof_record));
    words.insert(words.end(), operands.begin(), operands.end());
    if (++steps % piece == 0 && !encode(encoder, words)) return 3;
  }
  if (!encode(encoder, words)) return 3;
  print_chunk(encoder);
  return 0;
}

// The recorder's encoder by itself. Standard input: the bytes of a unit in hexadecimal, then one step per line: "p OFFSET WORD..." (a path,
// by what its header word is more than the unit's address, and all words behind it) or "e CODE DETAIL WORD..." (hexadecimal), "chunk" ends a
// chunk; output: the payload of each EVENTS chunk in hexadecimal, one per line, then how many segments and lost paths there were.
// Argument 1: "plain", "avx2" or "avx512", which loop; argument 2: hand the words over in pieces of at most so many steps. Exit status 2: no unit;
// 3: an unknown path; 4: anything else that is damaged.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../../../runtime/recorder/thread_encoder.h"

using namespace dprof;

namespace {

constexpr uint64_t address = 0x7000;

void encode(PathTable &table, ThreadEncoder &encoder, std::vector<uint64_t> &words) {
  Encoded result;
  size_t at = 0;
  do {
    uint64_t used = 0;
    result = encoder.encode(words.data() + at, words.size() - at, &used);
    at += used;
  } while (result == Encoded::part || (result == Encoded::unknown_path && table.find(words[at])));
  if (result == Encoded::unknown_path) exit(3);
  if (result != Encoded::all || at != words.size()) exit(4);
  words.clear();
}

const PathLoops &loops_of(const std::string &name) {
#if defined(__x86_64__)
  if (name == "avx2") return path_loops_avx2;
  if (name == "avx512") return path_loops_avx512;
#endif
  return path_loops_plain;
}

void print_chunk(ThreadEncoder &encoder, const PathLoops &loops) {
  EventsChunk chunk;
  encoder.take_chunk(chunk);
  Bytes payload;
  chunk.pack(payload, loops);
  for (uint8_t byte : payload) printf("%02x", byte);
  printf("\n");
}

std::string read_line() {
  std::string line;
  for (int c; (c = getchar()) != EOF && c != '\n';) line += (char)c;
  return line;
}

} // namespace

int main(int count, char **arguments) {
  const PathLoops &loops = loops_of(count > 1 ? arguments[1] : "plain");
  size_t piece = count > 2 ? strtoul(arguments[2], nullptr, 10) : 1000;
  std::string hex = read_line();
  std::vector<uint8_t> unit;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) unit.push_back((uint8_t)strtoul(hex.substr(i, 2).c_str(), nullptr, 16));
  PathTable table;
  auto bytes = std::make_shared<const std::vector<uint8_t>>(std::move(unit));
  if (!table.add_module({bytes, bytes->data()}, bytes->size(), address)) return 2;
  ThreadEncoder encoder(std::as_const(table), loops); // it must not write to what all threads share
  std::vector<uint64_t> words;
  size_t steps = 0;
  for (std::string line = read_line(); !line.empty(); line = read_line()) {
    std::string kind = strtok(line.data(), " ");
    if (kind == "chunk") {
      encode(table, encoder, words);
      print_chunk(encoder, loops);
      continue;
    }
    uint64_t code = strtoull(strtok(nullptr, " "), nullptr, 16);
    uint64_t detail = kind == "e" ? strtoull(strtok(nullptr, " "), nullptr, 16) : 0;
    std::vector<uint64_t> operands;
    while (const char *word = strtok(nullptr, " ")) operands.push_back(strtoull(word, nullptr, 16));
    words.push_back(kind == "e" ? DPROF_EVENT_HEADER(code, operands.size(), detail) : address + code);
    words.insert(words.end(), operands.begin(), operands.end());
    if (++steps % piece == 0) encode(table, encoder, words);
  }
  encode(table, encoder, words);
  print_chunk(encoder, loops);
  printf("%llu %llu\n", (unsigned long long)encoder.segments(), (unsigned long long)encoder.lost());
  return 0;
}

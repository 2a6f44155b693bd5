// Stage: sampler, validation. dprof-code: files and offsets of instructions in them -> functions and lines.
//
// Lines in: `file PATH`, then for each instruction of it its offset in the file, hexadecimal. Lines out, in that order,
// each a JSON object: of a file
// {"found","buildId","hasLines","isInstrumented"}, of an offset {"function","within","file","line","column"}, empty
// where nobody knows. Status 0; 2 for another line.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <memory>

#include "../../recorder/json.h"
#include "debug_info.h"

using namespace dprof;

namespace {

// What a samples file calls a file may be a pipe that nobody writes to.
bool is_readable_file(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, R_OK) == 0;
}

void print(const Json &answer) { puts(answer.text().c_str()); }

void print_file(DebugInfo &code, bool is_found) {
  print({{"found", is_found},
         {"buildId", code.build_id()},
         {"hasLines", code.has_lines()},
         {"isInstrumented", code.has_units()}});
}

void print_place(DebugInfo &code, uint64_t offset) {
  const Place place = code.code_in_file(offset);
  print({{"function", place.function},
         {"within", place.within},
         {"file", place.file},
         {"line", place.line},
         {"column", place.column}});
}

} // namespace

int main() {
  unsetenv("DEBUGINFOD_URLS"); // what is not on this machine is not asked for elsewhere
  std::unique_ptr<DebugInfo> code;
  char *line = nullptr;
  size_t room = 0;
  for (ssize_t bytes; (bytes = getline(&line, &room, stdin)) > 0;) {
    if (line[bytes - 1] == '\n') line[bytes - 1] = 0;
    if (strncmp(line, "file ", 5) == 0) {
      code.reset();
      const bool is_found = is_readable_file(line + 5);
      code = std::make_unique<DebugInfo>(is_found ? std::string(line + 5) : std::string("/dev/null"));
      print_file(*code, is_found);
      continue;
    }
    char *end;
    const uint64_t offset = strtoull(line, &end, 16);
    if (!code || end == line || *end) {
      fprintf(stderr, "dprof-code: neither a file nor an offset in one: %s\n", line);
      return 2;
    }
    print_place(*code, offset);
  }
  free(line);
  return 0;
}

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

#include "../../recorder/bytes.h"
#include "debug_info.h"

using namespace dprof;

namespace {

std::string flag(bool value) { return value ? "true" : "false"; }

// A path that a samples file names may be a pipe to which nobody writes.
bool is_readable_file(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, R_OK) == 0;
}

void print_file(DebugInfo &code, bool is_found) {
  const std::string text = "{\"found\":" + flag(is_found) + ",\"buildId\":" + json_string(code.build_id()) +
                           ",\"hasLines\":" + flag(code.has_lines()) + ",\"isInstrumented\":" + flag(code.has_units()) +
                           "}";
  puts(text.c_str());
}

void print_place(DebugInfo &code, uint64_t offset) {
  const Place place = code.code_in_file(offset);
  const std::string text = "{\"function\":" + json_string(place.function) + ",\"within\":" + json_string(place.within) +
                           ",\"file\":" + json_string(place.file) + ",\"line\":" + std::to_string(place.line) +
                           ",\"column\":" + std::to_string(place.column) + "}";
  puts(text.c_str());
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

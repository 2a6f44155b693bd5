// Stage: recorder. One write per message, so that lines of two processes do not mix.
#include "message.h"

#include <unistd.h>

namespace dprof {
namespace {

void write_text(const std::string &text) {
  if (write(STDERR_FILENO, text.data(), text.size()) < 0) { /* nobody listens */
  }
}

} // namespace

void say(const std::string &line) { write_text("dprof: " + line + "\n"); }
void complain(const std::string &line, const std::string &hint) {
  write_text("dprof: " + line + "\nhint: " + hint + "\n");
}

} // namespace dprof

// Stage: recorder, and the collectors of histories and samples. Handlers for the life of the process.
#include "child.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "message.h"

namespace dprof {
namespace {

pid_t child_of_signals = -1;

void forward(int number) {
  int error = errno;
  if (child_of_signals > 0) kill(child_of_signals, number);
  errno = error;
}

} // namespace

void set_child(pid_t child) { child_of_signals = child; }

void set_signals(bool has_child) {
  struct sigaction action = {};
  action.sa_handler = SIG_IGN;
  for (int number : {SIGINT, SIGQUIT, SIGXFSZ, SIGPIPE}) sigaction(number, &action, nullptr);
  action.sa_handler = has_child ? forward : SIG_IGN;
  for (int number : {SIGTERM, SIGHUP}) sigaction(number, &action, nullptr);
  action.sa_handler = [](int) {}; // only to end a sleep
  sigaction(SIGCHLD, &action, nullptr);
}

int complain_about_start(const char *name, int error) {
  const std::string path = name;
  complain("can not run " + path + ": " + strerror(error),
           error == ENOENT ? "give its path, as in ./" + path.substr(path.rfind('/') + 1)
                           : "is it an executable file?");
  return error == ENOENT ? 127 : 126;
}

void raise_file_limit() {
  rlimit files;
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  setenv("DPROF_FILES", std::to_string(files.rlim_cur).c_str(), 0); // what the program is to have
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
}

Launch launch_recorded(const std::string &recorder, const std::string &trace, char **command,
                       const std::vector<EnvironmentEntry> &added, bool randomised) {
  std::vector<std::string> words = {recorder, "-o", trace};
  if (randomised) words.push_back("--aslr");
  words.push_back("--");
  for (char **word = command; *word; word++) words.push_back(*word);
  std::vector<char *> recorded;
  for (std::string &word : words) recorded.push_back(word.data());
  recorded.push_back(nullptr);
  return launch(recorded.data(), added, randomised, false);
}

} // namespace dprof

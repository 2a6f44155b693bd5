// Stage: recorder. dprof-record [-o WHERE] [options] -- PROGRAM ARGUMENTS: runs the program, and passes on its records.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "launch.h"
#include "message.h"
#include "recording.h"
#include "session_directory.h"

namespace {

using namespace dprof;

constexpr char usage[] = "dprof-record [-o WHERE] [--sink OBJECT] [--keep TRACE] [--others FOLDER] [--drop] "
                         "[--allow-remote] [--aslr] [--quiet] -- PROGRAM [ARGUMENTS]";

struct Options {
  Destination::Request where;
  bool randomised = false;
  bool quiet = false; // of a recording that went well
  pid_t attach = 0;   // a program that records itself has started this recorder
  int announce = -1;  // the pipe on which it waits for the session's path
  char **command = nullptr;
};

std::string base_name(const std::string &path) { return path.substr(path.rfind('/') + 1); }

bool parse(int count, char **arguments, Options *options) {
  int i = 1;
  auto value = [&](const char *name, const char **to) {
    if (strcmp(arguments[i], name) != 0 || i + 1 >= count) return false;
    *to = arguments[++i];
    return true;
  };
  for (; i < count; i++) {
    const char *text;
    if (strcmp(arguments[i], "--") == 0) {
      i++;
      break;
    }
    if (value("-o", &text))
      options->where.output = text;
    else if (value("--sink", &text))
      options->where.plugin = text;
    else if (value("--keep", &text))
      options->where.keep = text;
    else if (value("--others", &text))
      options->where.others = text;
    else if (value("--attach", &text))
      options->attach = atoi(text);
    else if (value("--announce", &text))
      options->announce = atoi(text);
    else if (strcmp(arguments[i], "--aslr") == 0)
      options->randomised = true;
    else if (strcmp(arguments[i], "--quiet") == 0)
      options->quiet = true;
    else if (strcmp(arguments[i], "--drop") == 0)
      options->where.drop = true;
    else if (strcmp(arguments[i], "--allow-remote") == 0)
      options->where.allow_remote = true;
    else if (arguments[i][0] == '-') {
      complain(std::string("unknown option, or option without a value: ") + arguments[i], usage);
      return false;
    } else
      break;
  }
  options->command = arguments + i;
  if (options->attach > 0 && options->announce >= 0 && !options->where.output.empty()) return true;
  if (i < count) {
    options->where.program = base_name(arguments[i]);
    return true;
  }
  complain("no program to record", usage);
  return false;
}

int record(const Options &options) {
  bool attached = options.attach > 0;
  std::vector<int> files_of_program = inherited_files();
  Destination destination;
  Failure failure;
  std::unique_ptr<Sink> sink = destination.choose(options.where, &failure) ? destination.open_main(&failure) : nullptr;
  if (!sink) {
    complain(failure.line, failure.hint);
    return failure.is_usage ? 2 : 1;
  }
  SessionDirectory session;
  if (int error = session.create()) {
    sink->remove();
    complain(std::string("no place for the session's buffers: ") + strerror(error),
             "make room in /dev/shm, or set TMPDIR");
    return 1;
  }
  Sink *unstarted = sink.get();
  Recording recording(session, destination, std::move(sink));
  set_signals(!attached);
  if (attached) {
    if (write(options.announce, session.path().data(), session.path().size()) < 0) return 1;
    close(options.announce);
    recording.set_main(options.attach, false, true);
    recording.run();
    return recording.failed();
  }
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  Launch started = launch(options.command, {{"DPROF_SESSION", session.path()}}, options.randomised,
                          destination.takes_standard_output());
  set_child(started.pid);
  for (int file : files_of_program) close(file); // the reader of a pipe waits for its last possible writer
  if (started.error) {
    if (started.pid > 0) waitpid(started.pid, nullptr, 0);
    unstarted->remove();
    return complain_about_start(options.command[0], started.error);
  }
  if (started.kept_randomised)
    say("address randomisation could not be switched off: two recordings will differ in addresses");
  recording.set_main(started.pid, true, options.randomised || started.kept_randomised);
  recording.run();
  recording.list_traces();
  if (!options.quiet && isatty(STDERR_FILENO)) recording.tell_what_next(); // who has no terminal reads no hints
  if (recording.failed()) return 1;
  if (recording.nothing_recorded()) {
    complain(std::string(options.command[0]) + " is not instrumented: nothing was recorded",
             "build it with dprof-cc or dprof-c++");
    return 1;
  }
  int status = recording.main_status();
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

} // namespace

int main(int count, char **arguments) {
  Options options;
  if (!parse(count, arguments, &options)) return 2;
  return record(options);
}

// Stage: recorder. The argument of -o or --sink -> a sink for each process.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "sink.h"

namespace dprof {

struct Failure {
  std::string line, hint;
  bool is_usage = false;
};

class Destination {
public:
  struct Request {
    std::string output; // empty: a file named after the program
    std::string plugin; // a shared object that implements dprof/sink.h
    std::string keep;   // beside a live trace: a file that gets the same data
    std::string others; // beside a live trace: a folder, to be made, for what other processes record, and the list of
                        // their traces
    std::string program;
    bool allow_remote = false;
    bool drop = false;
  };
  // False: there is no such destination, and `*failure` says why.
  bool choose(const Request &request, Failure *failure);

  // A sink for the program itself; null: `*failure` says why.
  std::unique_ptr<Sink> open_main(Failure *failure);
  // For image `image` (from 1) of another process, or a later one of the program's own.
  std::unique_ptr<Sink> open_other(pid_t pid, unsigned image, Failure *failure);

  // True if the program must not write to standard output.
  bool takes_standard_output() const {
    return kind_ == Kind::standard_output || (kind_ == Kind::text && target_.empty());
  }
  // True if dprof report can read the output, under the name that was asked for.
  bool is_trace_file() const { return kind_ == Kind::file; }
  const std::string &target() const { return target_; }
  // True if traces must not be mentioned: the caller that asked for them reports on them.
  bool is_passing() const { return kind_ == Kind::live && keep_.empty(); }
  // Passes on the names of other processes' traces, for a caller that reports on all. False: that failed.
  bool tell_others(const std::vector<std::string> &names);
  // True: data for a slow reader is dropped; nobody waits.
  bool drops() const { return drop_; }

private:
  enum class Kind { file, standard_output, fifo, unix_socket, tcp, text, null, plugin, live };
  std::unique_ptr<Sink> open(const std::string &suffix, Failure *failure);
  std::unique_ptr<Sink> open_file(const std::string &path, Failure *failure);
  std::unique_ptr<Sink> open_fifo(Failure *failure);
  std::unique_ptr<Sink> connect_to(Failure *failure);
  std::unique_ptr<Sink> open_live(Failure *failure);

  Kind kind_ = Kind::file;
  std::string target_, port_, spelled_;
  std::string others_; // files of processes that the target cannot take
  std::string keep_;
  std::string folder_;
  bool drop_ = false;
};

} // namespace dprof

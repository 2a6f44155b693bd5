// Stage: recorder. A recording from start to end: every process image of the session, and the destination of each.
#pragma once

#include <sys/types.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "destination.h"
#include "drain.h"
#include "image.h"
#include "session_directory.h"

namespace dprof {

class Recording {
public:
  Recording(SessionDirectory &session, Destination &destination, std::unique_ptr<Sink> main_sink);

  void set_main(pid_t pid, bool is_child, bool kept_randomised);
  // Runs until the main process and every background process that records have ended.
  void run();

  int main_status() const { return main_status_; } // as waitpid gives it
  // Lists the traces of all processes, if there are more than the one that was asked for.
  void list_traces();
  // For a recording that left one file: tells its size, and what to do with it.
  void tell_what_next();
  bool nothing_recorded() const { return !anything_recorded_; }
  bool failed() const { return failed_; }

private:
  bool drain_all();
  void discover();
  bool is_first_of_main(const Image &image);
  void reap();
  void settle(Image &image, const Json &exit);
  void settle_the_ended();
  Json exit_of_image(const Image &image) const;
  std::unique_ptr<Sink> sink_for(pid_t pid);
  bool is_randomised(pid_t pid) const;
  void report_write_error(Sink &sink);
  void mention_waiting();
  bool somebody_may_come() const;

  SessionDirectory &session_;
  Destination &destination_;
  std::unique_ptr<Sink> main_sink_;
  pid_t main_pid_ = -1;
  bool main_is_child_ = true, main_ended_ = false, kept_randomised_ = false;
  int main_status_ = 0;
  uint64_t main_ended_ns_ = 0;
  bool mentioned_waiting_ = false;

  ChunkWriter writer_;
  Drain drain_;
  ModuleHomes homes_;
  std::vector<std::unique_ptr<Image>> images_;
  std::vector<uint32_t> missing_; // numbers that were given out, but whose files are not there yet
  uint32_t numbers_seen_ = 0;
  struct Trace {
    std::string name;
    std::string program;
    pid_t pid;
    uint64_t bytes, segments;
    bool is_main; // of the program itself, as it began
  };
  std::vector<Trace> traces_;
  std::map<pid_t, unsigned> images_of_pid_;
  std::map<pid_t, int> statuses_;
  bool anything_recorded_ = false, failed_ = false;
  uint32_t failure_told_ = 0;
};

} // namespace dprof

// Stage: recorder. One process image (a program from exec or fork to its end): its shared file -> its trace file.
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "chunk_turns.h"
#include "chunk_writer.h"
#include "dprof/session.h"
#include "json.h"
#include "live_trace.h"
#include "module_homes.h"
#include "path_table.h"
#include "record_decoder.h"
#include "record_sink.h"
#include "session_directory.h"
#include "sink.h"
#include "table_gate.h"
#include "thread_encoder.h"

namespace dprof {

class Image {
public:
  // Null while the program has not finished setting the file up.
  static std::unique_ptr<Image> open(const SessionDirectory &session, ChunkWriter &writer, ModuleHomes &homes,
                                     uint32_t number);
  ~Image();

  // Writes header and PROCESS chunk. `drops`: records for which the sink has no time are counted instead of written.
  void begin_trace(std::unique_ptr<Sink> sink, bool randomised, bool drops);
  // It will not be discarded.
  void keep() { *stays_ = true; }
  // What a thread has handed over since the last look at its seat.
  struct Visit;
  // Adds a visit for each seat at which there is something to take; false if nothing is new, modules included.
  bool announce(std::vector<Visit> &visits);
  // Several threads may do this at once, for several seats. `turns`: where the chunks go; null: to the writer.
  void take(Visit &visit, ChunkTurns *turns = nullptr, size_t turn = 0);
  // Once no visit is being taken any more.
  void conclude(const Visit &visit);
  // One visit is to be concluded before the next one is taken.
  bool is_for_one() const { return records_ || drops_; }
  // Chunks that have waited for a second.
  void flush_old();
  // For a reader that needs it: tells all that threads have logged, and which of them are asleep (image_quiet.cc).
  void tell_quiet();
  bool is_watched() const;
  // If a module is about to be where another one was: takes all that threads have logged, handed over or not, and
  // forgets the other one (image_replaced.cc).
  void settle_replaced();
  // There may soon be more to tell.
  bool is_eager() const;
  // The program is gone, or logs no more, and all that it handed over was taken: the rest of all buffers, then END.
  // `exit`: how it ended.
  void finish(const Json &exit);
  // Nothing of it is worth a file.
  void discard();

  std::string program() const; // as its first argument says
  pid_t pid() const { return (pid_t)process_->pid; }
  bool is_dead() const;
  bool is_closing() const;
  bool is_finished() const { return finished_; }
  bool has_modules() const { return modules_read_ > 0 || process_->modules > 0; }
  uint64_t segments() const { return segments_; }
  bool exit_code_known(uint32_t *code) const;
  Sink &sink() { return *sink_; }
  void wake_all();

private:
  Image(const SessionDirectory &session, ChunkWriter &writer, ModuleHomes &homes, uint32_t number,
        dprof_session_process *process, size_t bytes);
  struct Stream {
    ChunkTurns *turns = nullptr; // as in `take`
    size_t turn = 0;
    std::unique_ptr<ThreadEncoder> encoder; // one of the two
    std::unique_ptr<RecordDecoder> decoder;
    uint32_t thread = 0;
    uint32_t sequence = 0;
    uint64_t chunk_since_ns = 0;
    bool broken = false;
    uint64_t dropped = 0; // paths, not told yet
    // How far each buffer was read, in which taking. The recorder may read words that the thread has not handed over.
    struct {
      uint32_t taking = 0, end = 0;
    } read[DPROF_SESSION_BUFFERS];
  };
  struct Glimpse;
  void begin_records(const dprof_trace_header &header);
  bool read_modules();
  bool write_module(const dprof_session_module &header, const std::shared_ptr<const Bytes> &file);
  void put_units(Bytes payload, ModuleHomes::Units &units, const Bytes &build_id);
  Stream &stream_of(uint32_t seat);
  bool has_news(uint32_t seat) const;
  Visit visit_of(uint32_t seat);
  void note_read(const Stream &stream);
  void drain_seat(uint32_t seat);
  Encoded take_words(Stream &stream, const uint64_t *words, uint64_t count, uint64_t *used);
  bool learn_path(const Stream &stream, uint64_t header);
  void count_lost(Stream &stream, uint64_t paths);
  uint64_t skim(Stream &stream, const uint64_t *words, uint64_t count);
  void log_dropped(Stream &stream);
  void encode(Stream &stream, const uint64_t *words, uint64_t count);
  void put(Stream &stream, ChunkJob job);
  void put_mappings(Stream &stream);
  void flush(Stream &stream);
  void put_last(uint32_t seat, Stream &stream);
  void end_stream(uint32_t seat);
  uint32_t unread_from(const Stream &stream, uint32_t buffer, uint32_t taking, uint32_t begin) const;
  static Bytes payload_of(const std::vector<dprof_live_quiet> &quiet);
  uint64_t words_of(uint64_t header);
  bool glimpse(uint32_t seat, const Stream &stream, Glimpse *seen);
  void look_at(uint32_t seat, std::vector<dprof_live_quiet> &quiet);
  void drain_current(uint32_t seat);
  void take_unfinished(uint32_t seat);
  std::string why_stopped() const;
  const uint64_t *buffer(uint32_t seat, uint32_t number) const;
  uint32_t seats() const;

  const SessionDirectory &session_;
  ChunkWriter &writer_;
  ModuleHomes &homes_;
  uint32_t number_;
  dprof_session_process *process_;
  dprof_session_seat *seats_;
  size_t mapped_bytes_;
  uint32_t seat_limit_;
  int pidfd_ = -1;

  std::unique_ptr<Sink> sink_;
  uint64_t start_time_ns_ = 0; // these two as in the trace's header
  uint32_t header_pid_ = 0;
  std::shared_ptr<bool> stays_ = std::make_shared<bool>(false);
  RecordSink *records_ = nullptr; // the sink, if it takes decoded records
  LiveTrace *live_ = nullptr;     // the sink, if somebody reads meanwhile
  uint64_t quiet_next_ns_ = 0;    // when that is told again
  unsigned quiet_rounds_ = 0;     // since anything was read, or somebody fell asleep or awoke
  std::vector<dprof_live_quiet> told_quiet_;
  TableGate gate_; // of the table, and of all that goes with modules; only the first thread passes it by
  PathTable table_;
  SiteTable sites_;
  PathPlans plans_{table_, sites_};
  uint32_t modules_read_ = 0;
  uint32_t unread_modules_ = 0;        // of these
  std::map<uint32_t, Stream> streams_; // by seat
  std::set<uint32_t> threads_;
  uint64_t segments_ = 0, lost_ = 0; // of the streams that have ended
  bool finished_ = false, drops_ = false;
  uint64_t dropped_ = 0; // paths
};

struct Image::Visit {
  Image *image;
  uint32_t seat;
  Stream *stream; // null: the thread has ended, and never handed anything over
  bool ended = false;
};

} // namespace dprof

// Stage: recorder. A bounded queue with one thread at its end.
#include "chunk_writer.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <utility>

#include "live_trace.h"

namespace dprof {
namespace {

constexpr size_t most_waiting = 4;
// The program and the encoder, which it waits for, go first where there are only two processors; when too much is
// waiting here, they wait.
constexpr int niceness = 10;

} // namespace

ChunkWriter::~ChunkWriter() {
  if (!thread_.joinable()) return;
  settle();
  {
    std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void ChunkWriter::put(Sink &sink, dprof_chunk_kind kind, Bytes payload) {
  put({&sink, kind, 0, 0, std::move(payload), nullptr, nullptr});
}

void ChunkWriter::put(Sink &sink, std::function<void()> work) {
  put({&sink, DPROF_CHUNK_EVENTS, 0, 0, {}, nullptr, std::move(work)});
}

void ChunkWriter::put(Sink &sink, uint32_t thread, uint32_t sequence, std::unique_ptr<EventsChunk> events) {
  const dprof_chunk_kind kind = events->restarts ? DPROF_CHUNK_RESTART : DPROF_CHUNK_EVENTS;
  put({&sink, kind, thread, sequence, {}, std::move(events), nullptr});
}

void ChunkWriter::put(Job job) {
  if (!thread_.joinable()) { // signals are for the main thread, whose sleep they end
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::thread([this] { run(); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return jobs_.size() < most_waiting; });
  jobs_.push_back(std::move(job));
  changed_.notify_all();
}

std::unique_ptr<EventsChunk> ChunkWriter::spare() {
  std::lock_guard lock(mutex_);
  if (spares_.empty()) return std::make_unique<EventsChunk>();
  std::unique_ptr<EventsChunk> last = std::move(spares_.back());
  spares_.pop_back();
  return last;
}

bool ChunkWriter::is_full() {
  std::lock_guard lock(mutex_);
  return jobs_.size() >= most_waiting;
}

void ChunkWriter::settle() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return jobs_.empty(); });
}

void ChunkWriter::run() {
  setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), getpriority(PRIO_PROCESS, 0) + niceness);
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return over_ || !jobs_.empty(); });
    if (jobs_.empty()) return;
    Job &job = jobs_.front();
    lock.unlock();
    const bool raw = job.events && job.events->raw;
    if (job.events && !raw) job.events->pack(job.payload);
    if (job.work)
      job.work();
    else if (raw) // which only such a sink asks for
      static_cast<LiveTrace *>(job.sink)->write_raw(job.thread, job.sequence, *job.events);
    else
      job.sink->write_chunk(job.kind, job.thread, job.sequence, job.payload);
    lock.lock();
    if (job.events) spares_.push_back(std::move(job.events));
    jobs_.pop_front();
    changed_.notify_all();
  }
}

} // namespace dprof

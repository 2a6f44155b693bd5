// Stage: recorder. Drains one process image. The program wrote all that it reads, so every index is checked.
#include "image.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <fstream>
#include <utility>

#include "build_id.h"
#include "clock.h"
#include "shared_word.h"

namespace dprof {
namespace {

bool layout_fits(const dprof_session_process *process, uint64_t bytes) {
  uint64_t seats = process->seats;
  uint64_t buffer_bytes = seats * DPROF_SESSION_BUFFERS * DPROF_SESSION_BUFFER_WORDS * sizeof(uint64_t);
  return process->magic == DPROF_SESSION_MAGIC && process->version == DPROF_SESSION_VERSION && seats > 0 &&
         seats <= DPROF_SESSION_SEATS && process->seats_offset >= sizeof *process && process->seats_offset % 64 == 0 &&
         process->buffers_offset % 4096 == 0 &&
         process->seats_offset + seats * sizeof(dprof_session_seat) <= process->buffers_offset &&
         process->buffers_offset <= bytes && buffer_bytes <= bytes - process->buffers_offset;
}

Json words_of_command(const char *command, size_t bytes) {
  Json words = Json::list();
  for (size_t at = 0; at < bytes;) {
    size_t length = strnlen(command + at, bytes - at);
    words.append(std::string(command + at, length));
    at += length + 1;
  }
  return words;
}

// Stamps and inodes mean the same in traces of one boot. Empty: not known.
std::string boot_id() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string boot;
  return std::getline(file, boot) ? boot : "";
}

// Two of these lay beside the stamps what else was measured by the monotonic clock.
Json clocks_now() {
  const ClockReading now = read_clocks();
  return {{"stamp", Json::decimal(now.stamp)}, {"monotonicNs", Json::decimal(now.ns)}};
}

// The file that runs, also if another one has its name by now.
std::string build_id_of_process(uint32_t pid, const std::string &executable) {
  std::string id = build_id_of("/proc/" + std::to_string(pid) + "/exe");
  return id.empty() ? build_id_of(executable) : id;
}

Bytes bytes_of(const Json &json) {
  const std::string text = json.text();
  return Bytes(text.begin(), text.end());
}

} // namespace

std::unique_ptr<Image> Image::open(const SessionDirectory &session, ChunkWriter &writer, ModuleHomes &homes,
                                   uint32_t number) {
  int fd = ::open(session.image_path(number).c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) return nullptr;
  struct stat status;
  void *at = MAP_FAILED;
  if (fstat(fd, &status) == 0 && (uint64_t)status.st_size > sizeof(dprof_session_process))
    at = mmap(nullptr, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
  close(fd);
  if (at == MAP_FAILED) return nullptr;
  dprof_session_process *process = (dprof_session_process *)at;
  if (load_acquire(&process->state) == DPROF_PROCESS_BUILDING || !layout_fits(process, (uint64_t)status.st_size)) {
    munmap(at, (size_t)status.st_size);
    return nullptr;
  }
  return std::unique_ptr<Image>(new Image(session, writer, homes, number, process, (size_t)status.st_size));
}

Image::Image(const SessionDirectory &session, ChunkWriter &writer, ModuleHomes &homes, uint32_t number,
             dprof_session_process *process, size_t bytes)
    : session_(session), writer_(writer), homes_(homes), number_(number), process_(process),
      seats_((dprof_session_seat *)((char *)process + process->seats_offset)), mapped_bytes_(bytes),
      seat_limit_(process->seats) {
  pidfd_ = (int)syscall(SYS_pidfd_open, process->pid, 0);
}

Image::~Image() {
  munmap(process_, mapped_bytes_);
  if (pidfd_ >= 0) close(pidfd_);
}

bool Image::is_dead() const {
  if (pidfd_ < 0) return kill((pid_t)process_->pid, 0) != 0 && errno == ESRCH;
  pollfd file = {pidfd_, POLLIN, 0};
  return poll(&file, 1, 0) > 0;
}

std::string Image::program() const {
  size_t bytes = std::min<size_t>(process_->command_bytes, sizeof process_->command);
  return std::string(process_->command, strnlen(process_->command, bytes));
}

bool Image::is_closing() const { return load_acquire(&process_->state) == DPROF_PROCESS_CLOSING; }

bool Image::exit_code_known(uint32_t *code) const {
  *code = process_->exit_code;
  return load_acquire(&process_->exit_known) != 0;
}

const uint64_t *Image::buffer(uint32_t seat, uint32_t number) const {
  const uint64_t *first = (const uint64_t *)((const char *)process_ + process_->buffers_offset);
  return first + ((uint64_t)seat * DPROF_SESSION_BUFFERS + number) * DPROF_SESSION_BUFFER_WORDS;
}

uint32_t Image::seats() const { return std::min(load_acquire(&process_->seats_used), seat_limit_); }

void Image::begin_trace(std::unique_ptr<Sink> sink, bool randomised, bool drops) {
  drops_ = drops;
  sink_ = std::move(sink);
  dprof_trace_header header = {};
  header.stamps_per_second = stamps_per_second();
  header.start_time_ns = start_time_ns_ = process_->start_time_ns;
#if defined(__x86_64__)
  header.architecture = DPROF_TRACE_ARCH_X86_64;
#else
  header.architecture = DPROF_TRACE_ARCH_AARCH64;
#endif
  header.flags = randomised ? DPROF_TRACE_FLAG_ASLR : 0;
  header.page_bytes = (uint32_t)sysconf(_SC_PAGESIZE);
  header.pid = header_pid_ = process_->pid;
  sink_->write_header(header);
  records_ = dynamic_cast<RecordSink *>(sink_.get());
  live_ = dynamic_cast<LiveTrace *>(sink_.get());
  if (records_) return begin_records(header);
  std::string executable(process_->executable,
                         std::min<size_t>(process_->executable_bytes, sizeof process_->executable));
  Json about = {{"command", words_of_command(process_->command,
                                             std::min<size_t>(process_->command_bytes, sizeof process_->command))},
                {"executable", executable},
                {"cpus", sysconf(_SC_NPROCESSORS_ONLN)},
                {"randomised", randomised}};
  if (const std::string boot = boot_id(); !boot.empty()) about.add("boot", boot);
  if (const std::string id = build_id_of_process(process_->pid, executable); !id.empty()) about.add("buildId", id);
  const std::string allocator(process_->allocator, strnlen(process_->allocator, sizeof process_->allocator));
  if (!allocator.empty()) about.add("allocator", allocator);
  about.add("clock", clocks_now());
  writer_.put({*sink_, DPROF_CHUNK_PROCESS, bytes_of(about)});
}

void Image::begin_records(const dprof_trace_header &header) {
  std::string executable(process_->executable, strnlen(process_->executable, sizeof process_->executable));
  std::string command(process_->command, std::min<size_t>(process_->command_bytes, sizeof process_->command));
  std::vector<const char *> arguments;
  for (size_t at = 0; at < command.size(); at += strlen(command.c_str() + at) + 1)
    arguments.push_back(command.c_str() + at);
  records_->begin({process_->pid, (uint32_t)arguments.size(), arguments.data(), executable.c_str(),
                   header.stamps_per_second, header.flags & DPROF_TRACE_FLAG_ASLR, 0});
}

// The program went on, and its trace did not. Empty: it did.
std::string Image::why_stopped() const {
  int error = sink_->error();
  uint32_t stopped = load_acquire(&process_->stopped);
  if (!error && !stopped && unread_modules_)
    return "what " + std::to_string(unread_modules_) + " modules are could not be read";
  if (!error && !stopped) return "";
  return error ? std::string("the trace could not be written: ") + strerror(error)
               : std::string("no room for the program's buffers: ") + strerror((int)stopped);
}

void Image::finish(const Json &exit) {
  for (uint32_t i = 0, n = seats(); i < n; i++) {
    drain_current(i);
    if (auto found = streams_.find(i); found != streams_.end()) put_last(i, found->second);
    end_stream(i);
  }
  writer_.settle();
  Json end = {
      {"exit", exit}, {"threads", threads_.size()}, {"segments", segments_}, {"lostSegments", lost_ + process_->lost}};
  if (dropped_) end.add("dropped", dropped_);
  end.add("durationNs", unix_time_ns() - std::min(unix_time_ns(), process_->start_time_ns));
  end.add("clock", clocks_now());
  if (const std::string stopped = why_stopped(); !stopped.empty()) end.add("stopped", stopped);
  sink_->write_end(bytes_of(end));
  finished_ = true;
}

void Image::discard() {
  writer_.settle();
  sink_->remove();
  finished_ = true;
}

void Image::wake_all() {
  unlink(session_.image_path(number_).c_str());
  store_release(&process_->whole, 1u);
  wake(&process_->whole);
  for (uint32_t i = 0, n = seats(); i < n; i++) wake(&seats_[i].returned);
}

} // namespace dprof

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

constexpr uint64_t chunk_bytes = 256 << 10;
constexpr uint32_t chunk_steps = 1u << 24;
constexpr size_t chunk_records = 1u << 16;
constexpr uint64_t chunk_age_ns = 1000000000;

void wake(uint32_t *word) {
  __atomic_fetch_add(word, 1u, __ATOMIC_SEQ_CST);
  syscall(SYS_futex, word, FUTEX_WAKE, 0x7fffffff, nullptr, nullptr, 0);
}

// A thread that waits for a buffer sleeps until there are several, not to be woken for each.
bool half_are_free(const dprof_session_seat &seat) {
  uint32_t free = 0;
  for (const uint32_t &busy : seat.buffer_busy) free += !load_acquire(&busy);
  return free >= DPROF_SESSION_BUFFERS / 2;
}

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
  about.add("clock", clocks_now());
  writer_.put(*sink_, DPROF_CHUNK_PROCESS, bytes_of(about));
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

Image::Stream &Image::stream_of(uint32_t seat) {
  Stream &stream = streams_[seat];
  if (!stream.encoder && !stream.decoder) {
    if (records_)
      stream.decoder = std::make_unique<RecordDecoder>(plans_, seats_[seat].thread);
    else
      stream.encoder = std::make_unique<ThreadEncoder>(table_);
    stream.thread = seats_[seat].thread;
    stream.chunk_since_ns = now_ns();
    // Two threads have one number: the runtime does not write that.
    stream.broken = !threads_.insert(stream.thread).second;
  }
  return stream;
}

Encoded Image::take_words(Stream &stream, const uint64_t *words, uint64_t count, uint64_t *used) {
  return stream.decoder ? stream.decoder->decode(words, count, used) : stream.encoder->encode(words, count, used);
}

// Whether the encoder, which met a header word for the first time, has its path now.
bool Image::knows_path(const Stream &stream, uint64_t header) { return stream.encoder && table_.find(header); }

void Image::count_lost(Stream &stream, uint64_t paths) {
  if (stream.decoder)
    stream.decoder->count_lost(paths);
  else
    stream.encoder->count_lost(paths);
}

// If there is no time to encode: counts paths, and the count stands in their place; keeps all events.
uint64_t Image::skim(Stream &stream, const uint64_t *words, uint64_t count) {
  uint64_t at = 0;
  while (at < count && words[at]) {
    bool is_event = words[at] & DPROF_EVENT;
    PathPlace place = is_event ? 0 : table_.find(words[at]);
    if (!is_event && !place && read_modules()) continue;
    uint64_t n = is_event ? EventWriter::words_of(words[at]) : place ? table_.path(place).words : 0;
    if ((is_event ? n == 0 : place == 0) || n >= count - at) break; // for the encoder to judge
    if (is_event) {
      uint64_t used;
      log_dropped(stream);
      stream.encoder->encode(words + at, 1 + n, &used);
    } else {
      stream.dropped++;
    }
    at += 1 + n;
  }
  return at;
}

void Image::log_dropped(Stream &stream) {
  if (!stream.dropped) return;
  stream.encoder->count_lost(stream.dropped);
  dropped_ += stream.dropped;
  stream.dropped = 0;
}

void Image::encode(Stream &stream, const uint64_t *words, uint64_t count) {
  if (stream.broken || sink_->error()) return;
  quiet_rounds_ = 0;
  if (drops_ && stream.encoder && writer_.is_full()) {
    uint64_t skimmed = skim(stream, words, count);
    words += skimmed;
    count -= skimmed;
    if (count && !*words) count = 0;
  }
  if (count) log_dropped(stream);
  while (count) {
    uint64_t used = 0;
    Encoded result = take_words(stream, words, count, &used);
    words += used;
    count -= used;
    if (result == Encoded::all) break;
    if (result == Encoded::full) {
      flush(stream);
      if (sink_->error()) return;
      continue;
    }
    if (result == Encoded::unknown_path && (knows_path(stream, *words) || read_modules())) continue;
    count_lost(stream, 1);
    stream.broken = true;
    break;
  }
  if (stream.encoder) {
    put_mappings(*stream.encoder);
    if (stream.encoder->segments() > 0) keep();
  }
  bool large = stream.decoder
                   ? stream.decoder->pending().size() >= chunk_records
                   : stream.encoder->pending_bytes() >= chunk_bytes || stream.encoder->pending_steps() >= chunk_steps;
  bool may_wait = !drops_ || !writer_.is_full() || stream.encoder->pending_bytes() >= 8 * chunk_bytes;
  if (large && may_wait) flush(stream);
}

// At once: chunks that use them come later, of whatever thread.
void Image::put_mappings(ThreadEncoder &encoder) {
  std::vector<dprof_chunk_mapping> mappings = encoder.take_mappings();
  if (mappings.empty()) return;
  Bytes payload;
  put_raw(payload, mappings.data(), mappings.size() * sizeof mappings[0]);
  writer_.put(*sink_, DPROF_CHUNK_MAPPINGS, std::move(payload));
}

void Image::flush(Stream &stream) {
  stream.chunk_since_ns = now_ns();
  if (stream.decoder) {
    if (stream.decoder->pending().empty()) return;
    auto records = std::make_shared<std::vector<dprof_sink_record>>();
    records->swap(stream.decoder->pending());
    writer_.put(*sink_, [sink = records_, records] { sink->take_records(*records); });
  } else if (stream.encoder->pending_steps()) {
    std::unique_ptr<EventsChunk> chunk = writer_.spare();
    stream.encoder->take_chunk(*chunk);
    if (live_ && live_->takes_raw() && !drops_) stream.encoder->go_raw();
    writer_.put(*sink_, stream.thread, stream.sequence++, std::move(chunk));
  }
}

void Image::end_stream(uint32_t seat) {
  auto found = streams_.find(seat);
  if (found == streams_.end()) return;
  Stream &stream = found->second;
  log_dropped(stream);
  if (seats_[seat].lost) count_lost(stream, std::exchange(seats_[seat].lost, 0)); // since the thread last looked
  flush(stream);
  if (live_) put_quiet({{~0ull, 0, stream.thread, DPROF_LIVE_NO_MORE, 0, {}}});
  segments_ += stream.decoder ? stream.decoder->segments() : stream.encoder->segments();
  lost_ += stream.decoder ? stream.decoder->lost() : stream.encoder->lost();
  streams_.erase(found);
}

bool Image::drain_seat(uint32_t index) {
  dprof_session_seat *seat = &seats_[index];
  bool ended = load_acquire(&seat->state) == DPROF_SEAT_ENDED; // before the last look at the pieces
  uint32_t pushed = load_acquire(&seat->pushed), popped = seat->popped;
  if (pushed == popped && !ended) return false;
  if (pushed - popped > DPROF_SESSION_PIECES) popped = pushed - DPROF_SESSION_PIECES;
  for (; popped != pushed; popped++) {
    dprof_session_piece piece = seat->pieces[popped % DPROF_SESSION_PIECES];
    bool sound =
        piece.buffer < DPROF_SESSION_BUFFERS && piece.begin <= piece.end && piece.end <= DPROF_SESSION_BUFFER_WORDS;
    if (sound) {
      Stream &stream = stream_of(index);
      uint32_t begin = unread_from(stream, piece.buffer, piece.flags >> 1, piece.begin);
      if (begin < piece.end) encode(stream, buffer(index, piece.buffer) + begin, piece.end - begin);
      stream.read[piece.buffer] = {piece.flags >> 1, std::max(begin, piece.end)};
    }
    if (sound && piece.flags & DPROF_PIECE_LAST) store_release(&seat->buffer_busy[piece.buffer], 0u);
    bool was_full = load_acquire(&seat->pushed) - popped >= DPROF_SESSION_PIECES;
    store_release(&seat->popped, popped + 1);
    if (was_full || popped + 1 == load_acquire(&seat->pushed) || half_are_free(*seat)) wake(&seat->returned);
  }
  if (ended) {
    end_stream(index);
    store_release<uint32_t>(&seat->state, DPROF_SEAT_FREE);
  }
  return true;
}

bool Image::drain() {
  bool any = read_modules();
  for (uint32_t i = 0, n = seats(); i < n; i++) any |= drain_seat(i);
  return any;
}

// Drains what a dead thread had not handed over: from the last piece's end to the first zero header.
void Image::drain_current(uint32_t index) {
  dprof_session_seat *seat = &seats_[index];
  uint32_t number = seat->current_buffer, begin = seat->current_begin;
  if (seat->state != DPROF_SEAT_LIVE || number >= DPROF_SESSION_BUFFERS || begin >= DPROF_SESSION_BUFFER_WORDS) return;
  if (seat->pushed) {
    const dprof_session_piece &last = seat->pieces[(seat->pushed - 1) % DPROF_SESSION_PIECES];
    if (last.flags >> 1 == seat->current_taking && last.buffer == number) {
      if (last.flags & DPROF_PIECE_LAST) return;
      begin = std::max(begin, std::min(last.end, DPROF_SESSION_BUFFER_WORDS));
    }
  }
  Stream &stream = stream_of(index);
  begin = unread_from(stream, number, seat->current_taking, begin);
  encode(stream, buffer(index, number) + begin, DPROF_SESSION_BUFFER_WORDS - begin);
}

void Image::flush_old() {
  uint64_t now = now_ns();
  if (drops_ && writer_.is_full()) return;
  for (auto &[seat, stream] : streams_)
    if (now - stream.chunk_since_ns > chunk_age_ns) flush(stream);
}

// The program went on, and its trace did not. Empty: it did.
std::string Image::why_stopped() const {
  int error = sink_->error();
  uint32_t stopped = load_acquire(&process_->stopped);
  if (!error && !stopped) return "";
  return error ? std::string("the trace could not be written: ") + strerror(error)
               : std::string("no room for the program's buffers: ") + strerror((int)stopped);
}

void Image::finish(const Json &exit) {
  while (drain()) continue;
  for (uint32_t i = 0, n = seats(); i < n; i++) {
    drain_current(i);
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

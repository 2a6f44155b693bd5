// Stage: recorder -> replay, while a program runs. Waits for chunks, verifies them as src/trace/trace-reader.ts does,
// and makes room behind them.
#include "trace/live_source.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

#include "../runtime/recorder/checksum.h"
#include "base/trace_error.h"
#include "dprof/trace_format.h"

namespace dprof {

constexpr uint64_t PAGE = 4096;
/// Once nothing is kept, so much may wait: enough for both sides to run on, little enough to stay in caches.
constexpr uint64_t SETTLED_CAPACITY = uint64_t{32} << 20;
constexpr uint32_t MOST_THREADS = 1 << 20;

static int makeMemory(const char *name) {
  int file = memfd_create(name, MFD_CLOEXEC);
  if (file < 0) throw RoomError(std::string("cannot make shared memory: ") + std::strerror(errno));
  return file;
}

LiveSource::LiveSource(uint64_t capacity) : position_(sizeof(dprof_trace_header)) {
  data_ = makeMemory("dprof-live-data");
  controlFile_ = makeMemory("dprof-live-control");
  void *at = MAP_FAILED;
  if (ftruncate(controlFile_, DPROF_LIVE_CONTROL_BYTES) == 0)
    at = mmap(nullptr, DPROF_LIVE_CONTROL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, controlFile_, 0);
  if (at == MAP_FAILED) throw RoomError(std::string("cannot map shared memory: ") + std::strerror(errno));
  control_ = static_cast<dprof_live_control *>(at);
  control_->capacity = capacity;
  control_->version = DPROF_LIVE_VERSION;
  control_->magic = DPROF_LIVE_MAGIC;
}

LiveSource::~LiveSource() {
  if (control_) {
    dismiss();
    munmap(control_, DPROF_LIVE_CONTROL_BYTES);
  }
  for (int file : {data_, controlFile_, spool_})
    if (file >= 0) close(file);
}

// -- waiting

static void wake(uint32_t &word) {
  __atomic_fetch_add(&word, 1u, __ATOMIC_SEQ_CST);
  syscall(SYS_futex, &word, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

void LiveSource::wakeReader() { wake(control_->data); }

void LiveSource::pause() {
  paused_ = true;
  wakeReader();
}

void LiveSource::endOfStream() {
  uint32_t open = DPROF_LIVE_OPEN;
  __atomic_compare_exchange_n(&control_->over, &open, static_cast<uint32_t>(DPROF_LIVE_OVER), false, __ATOMIC_SEQ_CST,
                              __ATOMIC_SEQ_CST);
  wakeReader();
}

void LiveSource::dismiss() {
  store(control_->gone, 1u);
  wake(control_->room);
}

uint64_t LiveSource::needed() const {
  return load(control_->written) - load(control_->released) +
         std::min<uint64_t>(load(control_->wanted), DPROF_CHUNK_MAX_BYTES + sizeof(dprof_chunk_header));
}

/// The recorder waits for room that only this reader can make: all that it has read is kept.
bool LiveSource::blocksItself() const {
  return load(control_->writer_sleeps) && keeps_ && load(control_->released) < position_ &&
         needed() > load(control_->capacity);
}

void LiveSource::makeRoom() {
  if (!inHead_) return spool(position_);
  store(control_->capacity, needed()); // what comes before the events is in memory anyway, as the catalog
  wake(control_->room);
}

/// Waits until the trace reaches `end`. False: it does not, or not yet if `isPaused`.
bool LiveSource::await(uint64_t end) {
  for (;;) {
    bool over = load(control_->over) != DPROF_LIVE_OPEN; // before the last look
    const bool isThere = load(control_->written) >= end;
    if (isThere || over || paused_) {
      store(control_->hungry, 0u);
      return isThere;
    }
    uint32_t seen = load(control_->data);
    if (blocksItself()) { // nobody would ever go on
      makeRoom();
      continue;
    }
    store(control_->hungry,
          keeps_ && !collects_ ? 1u : 0u); // while there may be threads that have not handed anything over
    store(control_->reader_sleeps, 1u);
    bool changed =
        load(control_->written) >= end || load(control_->over) != DPROF_LIVE_OPEN || paused_ || blocksItself();
    if (!changed) syscall(SYS_futex, &control_->data, FUTEX_WAIT, seen, nullptr, nullptr, 0);
    store(control_->reader_sleeps, 0u);
  }
}

// -- chunks

static uint32_t word32(const uint8_t *at) {
  return at[0] | at[1] << 8 | at[2] << 16 | static_cast<uint32_t>(at[3]) << 24;
}

static std::string hexadecimal(uint32_t value) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%08x", value);
  return text;
}

/// Returns when the next chunk is whole. Null: there is none, or not yet.
std::optional<LiveSource::ChunkHeader> LiveSource::readHeader() {
  if (!await(position_ + sizeof(dprof_chunk_header))) return std::nullopt;
  uint8_t bytes[sizeof(dprof_chunk_header)];
  read(position_, bytes, sizeof bytes);
  uint32_t magic = word32(bytes), stored = word32(bytes + offsetof(dprof_chunk_header, header_checksum));
  if (magic != DPROF_CHUNK_MAGIC)
    throw TraceError("chunk magic", position_, hexadecimal(DPROF_CHUNK_MAGIC), hexadecimal(magic));
  uint32_t expected = checksum(bytes, offsetof(dprof_chunk_header, header_checksum));
  if (stored != expected)
    throw TraceError("checksum of a chunk header", position_ + offsetof(dprof_chunk_header, header_checksum),
                     hexadecimal(expected), hexadecimal(stored));
  ChunkHeader header{static_cast<uint16_t>(word32(bytes + offsetof(dprof_chunk_header, kind)) & 0xffff),
                     word32(bytes + offsetof(dprof_chunk_header, thread)),
                     word32(bytes + offsetof(dprof_chunk_header, sequence)),
                     {position_ + sizeof bytes, word32(bytes + offsetof(dprof_chunk_header, payload_bytes))}};
  if (header.kind == DPROF_CHUNK_RESTART) { // its payload is as that of any other chunk of events
    header.kind = DPROF_CHUNK_EVENTS;
    header.payload.begin = ChunkBegin::RESTART;
  }
  if (header.kind == DPROF_LIVE_RAW && !keeps_) { // whoever keeps chunks did not ask for them
    header.kind = DPROF_CHUNK_EVENTS;
    header.payload.begin = ChunkBegin::RAW;
  }
  if (header.payload.bytes > DPROF_CHUNK_MAX_BYTES)
    throw TraceError("chunk size", position_ + offsetof(dprof_chunk_header, payload_bytes), "at most 67108864 bytes",
                     std::to_string(header.payload.bytes));
  if (header.thread >= MOST_THREADS)
    throw TraceError("thread number", position_ + offsetof(dprof_chunk_header, thread), "below 1048576",
                     std::to_string(header.thread));
  if (!await(header.payload.offset + header.payload.bytes)) return std::nullopt;
  checksum_ = word32(bytes + offsetof(dprof_chunk_header, payload_checksum));
  return header;
}

void LiveSource::verify(const ChunkHeader &header, uint32_t stored) {
  payload_.resize(header.payload.bytes);
  read(header.payload.offset, payload_.data(), payload_.size());
  uint32_t expected = checksum(payload_.data(), payload_.size());
  if (stored != expected)
    throw TraceError("checksum of the chunk at " + std::to_string(position_) + ", stored",
                     position_ + offsetof(dprof_chunk_header, payload_checksum), hexadecimal(expected),
                     hexadecimal(stored));
}

/// Passed by: it is in the catalog.
bool LiveSource::isKnown(const ChunkHeader &header) const {
  return position_ < known_ && (header.kind == DPROF_CHUNK_MODULE || position_ == sizeof(dprof_trace_header));
}

void LiveSource::keepBounded() {
  if (load(control_->writer_sleeps) && position_ - load(control_->released) >= load(control_->capacity) / 2)
    spool(position_);
}

std::optional<ChunkPlace> LiveSource::next() {
  if (stop_ == Stop::END) return std::nullopt;
  if (keeps_)
    keepBounded();
  else
    releaseRaw();
  for (stop_ = Stop::NONE; stop_ == Stop::NONE;) {
    if (!keeps_) release(position_); // chunks passed by too: the next one may need all the room
    std::optional<ChunkHeader> header = readHeader();
    if (!header) {
      stop_ = paused_ ? Stop::PAUSED : Stop::CUT;
      break;
    }
    if (header->kind == DPROF_CHUNK_EVENTS && header->thread != 0) {
      stop_ = Stop::THREAD;
      break;
    }
    bool isWanted = header->kind == DPROF_CHUNK_EVENTS;
    stop_ = take(*header);
    if (stop_ != Stop::NONE || !isWanted) continue;
    if (header->sequence != sequence_)
      throw TraceError("sequence of thread 0", header->payload.offset, std::to_string(sequence_),
                       std::to_string(header->sequence));
    sequence_++;
    if (header->payload.begin == ChunkBegin::RAW) rawChunks_++;
    return header->payload;
  }
  return std::nullopt;
}

/// Verifies the chunk, and moves the position behind it.
LiveSource::Stop LiveSource::take(const ChunkHeader &header) {
  const bool known = isKnown(header);
  if (header.kind == DPROF_CHUNK_MODULE && !known) return Stop::MODULE;
  verify(header, checksum_);
  position_ = header.payload.offset + header.payload.bytes;
  if (known || header.kind == DPROF_CHUNK_EVENTS || header.kind == DPROF_CHUNK_MAPPINGS ||
      header.kind == DPROF_LIVE_QUIET)
    return Stop::NONE;
  if (header.kind != DPROF_CHUNK_END)
    throw TraceError("chunk kind", header.payload.offset, "events, a module or the end", std::to_string(header.kind));
  end = header.payload;
  return Stop::END;
}

bool LiveSource::learn() {
  if (stop_ == Stop::PAUSED) stop_ = Stop::NONE;
  if (stop_ != Stop::NONE) return false;
  for (;;) {
    keepBounded();
    std::optional<ChunkHeader> header = readHeader();
    if (!header && paused_) {
      stop_ = Stop::PAUSED;
      return false;
    }
    const bool isOneMore = header && header->kind == DPROF_CHUNK_EVENTS && header->thread >= mostThreads_;
    stop_ = !header ? Stop::CUT : isOneMore ? Stop::CORES : take(*header);
    if (stop_ == Stop::MODULE || stop_ == Stop::CORES) return false;
    if (isOver()) {
      closeAll();
      return true;
    }
    if (header->kind == DPROF_CHUNK_EVENTS)
      addChunk(*header);
    else if (header->kind == DPROF_LIVE_QUIET)
      takeOutlooks(*header);
    else
      continue;
    return true;
  }
}

void LiveSource::addChunk(const ChunkHeader &header) {
  if (header.thread >= threads_->size()) threads_->resize(header.thread + 1);
  ThreadChunks &thread = (*threads_)[header.thread];
  if (header.sequence != thread.offset.size())
    throw TraceError("sequence of thread " + std::to_string(header.thread), header.payload.offset,
                     std::to_string(thread.offset.size()), std::to_string(header.sequence));
  if (thread.offset.empty()) {
    arrived_.push_back(header.thread);
    thread.outlook.isOpen = true;
  }
  thread.offset.push_back(header.payload.offset);
  thread.bytes.push_back(header.payload.bytes);
  thread.begins.push_back(header.payload.begin);
  thread.outlook.next = Outlook::ANYTHING;
  grown_.push_back(header.thread);
}

/// Reads what sleeping threads will log next. The chunk says nothing about threads that have logged nothing.
void LiveSource::takeOutlooks(const ChunkHeader &header) {
  if (payload_.size() % sizeof(dprof_live_quiet))
    throw TraceError("live chunk", header.payload.offset, "whole entries", std::to_string(payload_.size()) + " bytes");
  for (size_t at = 0; at < payload_.size(); at += sizeof(dprof_live_quiet)) {
    dprof_live_quiet said;
    std::memcpy(&said, payload_.data() + at, sizeof said);
    if (said.next > DPROF_LIVE_NO_MORE)
      throw TraceError("live chunk", header.payload.offset + at, "what a thread logs next", std::to_string(said.next));
    if (said.thread >= threads_->size() || (*threads_)[said.thread].isEmpty()) continue;
    if (said.next != DPROF_LIVE_NO_MORE && position_ <= distrusted_) said.next = DPROF_LIVE_ANYTHING;
    Outlook &outlook = (*threads_)[said.thread].outlook;
    outlook = {outlook.isOpen && said.next != DPROF_LIVE_NO_MORE, static_cast<Outlook::Next>(said.next), said.detail,
               std::max(outlook.stamp, said.stamp), said.object};
    if (!outlook.isOpen) grown_.push_back(said.thread);
  }
}

void LiveSource::closeAll() {
  for (uint32_t number = 0; number < threads_->size(); number++) {
    (*threads_)[number].outlook.isOpen = false;
    grown_.push_back(number);
  }
}

LiveSource::Stop LiveSource::awaitEvents() {
  for (;;) {
    std::optional<ChunkHeader> header = readHeader();
    if (!header && paused_) return Stop::PAUSED;
    if (!header || header->kind == DPROF_CHUNK_EVENTS) inHead_ = false;
    if (!header) return Stop::END;
    position_ = header->payload.offset + header->payload.bytes;
    if (header->kind == DPROF_CHUNK_EVENTS) return Stop::NONE;
  }
}

LiveSource::Stop LiveSource::collect() {
  collects_ = true;
  for (;;) {
    std::optional<ChunkHeader> header = readHeader();
    if (!header) return paused_ ? Stop::PAUSED : Stop::END;
    position_ = header->payload.offset + header->payload.bytes;
  }
}

void LiveSource::rewind(uint64_t known, std::deque<ThreadChunks> *threads, uint32_t mostThreads) {
  known_ = known;
  threads_ = threads;
  mostThreads_ = mostThreads;
  if (stop_ == Stop::AGAIN) distrusted_ = position_;
  arrived_.clear();
  grown_.clear();
  position_ = sizeof(dprof_trace_header);
  sequence_ = 0;
  stop_ = Stop::NONE;
}

// -- memory

void LiveSource::read(uint64_t offset, void *into, size_t bytes) const {
  for (size_t done = 0; done < bytes;) {
    uint64_t at = offset + done;
    bool old = at < spooled_;
    size_t most = old ? std::min<uint64_t>(bytes - done, spooled_ - at) : bytes - done;
    ssize_t got = pread(old ? spool_ : data_, static_cast<char *>(into) + done, most, static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0)
      throw TraceError("live trace", at, std::to_string(bytes - done) + " more bytes",
                       got < 0 ? std::strerror(errno) : "the end of what was written");
    done += static_cast<size_t>(got);
  }
}

void LiveSource::settle() {
  keeps_ = false;
  store(control_->raw, 1u);
  store(control_->capacity, std::min(load(control_->capacity), SETTLED_CAPACITY));
}

/// Cuts out the data before this position, whole pages only, and says so.
void LiveSource::release(uint64_t before) {
  uint64_t from = load(control_->released) / PAGE * PAGE, to = before / PAGE * PAGE;
  if (to > from)
    fallocate(data_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(from),
              static_cast<off_t>(to - from));
  store(control_->released, before);
  if (load(control_->writer_sleeps)) wake(control_->room);
}

void LiveSource::releaseRaw() {
  if (load(control_->raw_released) == rawChunks_) return;
  store(control_->raw_released, rawChunks_);
  if (load(control_->writer_sleeps)) wake(control_->room);
}

const uint64_t *LiveSource::rawWords() const {
  const char *slots = reinterpret_cast<const char *>(control_) + DPROF_LIVE_SLOTS_OFFSET;
  return reinterpret_cast<const uint64_t *>(slots) +
         (rawChunks_ - 1) % DPROF_LIVE_SLOTS * size_t{DPROF_LIVE_SLOT_WORDS};
}

static int openNameless() {
  const char *named = std::getenv("TMPDIR");
  std::string folder = named && *named ? named : "/tmp";
  int file = open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file >= 0) return file;
  std::string path = folder + "/dprof-XXXXXX"; // a file system that has no files without names
  file = mkostemp(path.data(), O_CLOEXEC);
  if (file < 0)
    throw RoomError("cannot make a file in " + folder +
                    " for what does not fit into the buffer: " + std::strerror(errno));
  unlink(path.c_str());
  return file;
}

/// Moves the data before this position from memory to the file.
void LiveSource::spool(uint64_t before) {
  if (spool_ < 0) spool_ = openNameless();
  std::vector<char> block(1 << 20);
  for (uint64_t at = spooled_; at < before;) {
    size_t bytes = std::min<uint64_t>(block.size(), before - at);
    read(at, block.data(), bytes);
    for (size_t done = 0; done < bytes;) {
      ssize_t put = pwrite(spool_, block.data() + done, bytes - done, static_cast<off_t>(at + done));
      if (put < 0 && errno == EINTR) continue;
      if (put <= 0)
        throw RoomError(std::string("cannot write what does not fit into the buffer: ") +
                        std::strerror(put < 0 ? errno : ENOSPC));
      done += static_cast<size_t>(put);
    }
    at += bytes;
  }
  spooled_ = std::max(spooled_, before);
  release(spooled_);
}

int LiveSource::whole() {
  if (spooled_ == 0) return data_;
  spool(std::max(spooled_, load(control_->written)));
  return spool_;
}

} // namespace dprof

// Stage: taker. Chunks of a *.dphistories file.
#include "histories_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../../recorder/sink.h"

namespace dprof {
namespace {

constexpr size_t elements_per_chunk = 65536, histories_per_chunk = 8192;

template <typename Value, typename Rows, typename Get> void put(Bytes &to, const Rows &rows, Get get) {
  std::vector<Value> column;
  for (const auto &row : rows) column.push_back((Value)get(row));
  put_column(to, (const uint8_t *)column.data(), column.size() * sizeof(Value));
}

} // namespace

HistoriesFile::~HistoriesFile() {
  if (file_ >= 0) close(file_);
}

int HistoriesFile::create(const std::string &path) {
  name_ = path;
  struct stat there;
  if (stat(path.c_str(), &there) == 0 && !S_ISREG(there.st_mode))
    return S_ISDIR(there.st_mode) ? EISDIR : EINVAL; // a device must stay one
  incomplete_ = path + ".incomplete";
  file_ = open(incomplete_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file_ < 0) return errno;
  dprof_histories_header header = {};
  memcpy(header.magic, DPROF_HISTORIES_FILE_MAGIC, sizeof header.magic);
  header.version = DPROF_HISTORIES_FILE_VERSION;
  header.header_bytes = sizeof header;
  header.checksum = checksum(&header, offsetof(dprof_histories_header, checksum));
  write_all(&header, sizeof header);
  return error_;
}

void HistoriesFile::write_all(const void *bytes, size_t count) {
  const char *at = (const char *)bytes;
  if (!error_) error_ = write_rest(file_, &at, &count);
}

void HistoriesFile::write_chunk(dprof_histories_chunk kind, const Bytes &payload) {
  dprof_chunk_header header = chunk_header((dprof_chunk_kind)kind, 0, chunks_++, payload);
  write_all(&header, sizeof header);
  write_all(payload.data(), payload.size());
}

void HistoriesFile::write_json(dprof_histories_chunk kind, const std::string &json) {
  Bytes payload;
  put_raw(payload, json.data(), json.size());
  write_chunk(kind, payload);
}

void HistoriesFile::add(const History &history) {
  waiting_.push_back(history);
  waiting_elements_ += history.elements.size();
}

bool HistoriesFile::wants_flush() const {
  return waiting_elements_ >= elements_per_chunk || waiting_.size() >= histories_per_chunk;
}

void HistoriesFile::flush() {
  if (waiting_.empty()) return;
  std::vector<Element> elements;
  for (const History &history : waiting_)
    elements.insert(elements.end(), history.elements.begin(), history.elements.end());
  Bytes to;
  const uint32_t counts[2] = {(uint32_t)waiting_.size(), (uint32_t)elements.size()};
  put_raw(to, counts, sizeof counts);
  put<uint32_t>(to, waiting_, [](const History &h) { return h.object.type; });
  put<uint32_t>(to, waiting_, [](const History &h) { return h.set; });
  put<uint32_t>(to, waiting_, [](const History &h) { return h.watch; });
  put<uint32_t>(to, waiting_, [](const History &h) { return h.partner; });
  put<uint64_t>(to, waiting_, [](const History &h) { return h.object.address; });
  put<uint64_t>(to, waiting_, [](const History &h) { return h.object.bytes; });
  put<uint64_t>(to, waiting_, [](const History &h) { return h.element; });
  put<uint64_t>(to, waiting_, [](const History &h) { return h.object.site; });
  put<uint64_t>(to, waiting_, [](const History &h) { return h.object.stamp; });
  put<uint64_t>(to, waiting_, [](const History &h) { return h.object.time_ns; });
  put<uint32_t>(to, waiting_, [](const History &h) { return h.object.thread; });
  put<uint32_t>(to, waiting_, [](const History &h) { return h.object.cpu; });
  put<uint64_t>(to, waiting_, [](const History &h) { return h.armed_ns; });
  put<uint64_t>(to, waiting_, [](const History &h) { return h.ended_ip; });
  put<uint64_t>(to, waiting_, [](const History &h) { return h.ended_ns; });
  put<uint32_t>(to, waiting_, [](const History &h) { return h.ended_thread; });
  put<uint32_t>(to, waiting_, [](const History &h) { return h.ended_cpu; });
  put<uint8_t>(to, waiting_, [](const History &h) { return h.ending; });
  put<uint32_t>(to, waiting_, [](const History &h) { return h.elements.size(); });
  put<uint32_t>(to, elements, [](const Element &e) { return e.offset; });
  put<uint8_t>(to, elements, [](const Element &e) { return e.width; });
  put<uint64_t>(to, elements, [](const Element &e) { return e.ip; });
  put<uint32_t>(to, elements, [](const Element &e) { return e.cpu; });
  put<uint32_t>(to, elements, [](const Element &e) { return e.thread; });
  put<uint64_t>(to, elements, [](const Element &e) { return e.time_ns; });
  write_chunk(DPROF_HISTORIES_ROWS, to);
  written_ += counts[0];
  waiting_.clear();
  waiting_elements_ = 0;
}

int HistoriesFile::finish() {
  if (close(file_) != 0 && !error_) error_ = errno;
  file_ = -1;
  if (!error_ && rename(incomplete_.c_str(), name_.c_str()) != 0) error_ = errno;
  return error_;
}

void HistoriesFile::remove() {
  if (file_ >= 0) close(file_);
  file_ = -1;
  unlink(incomplete_.c_str());
}

} // namespace dprof

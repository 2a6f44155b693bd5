// Stage: collector of histories. Chunks of a *.dphistories file.
#include "histories_file.h"

#include <string.h>

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

int HistoriesFile::create(const std::string &path) {
  if (int error = file_.create(path)) return error;
  dprof_histories_header header = {};
  memcpy(header.magic, DPROF_HISTORIES_FILE_MAGIC, sizeof header.magic);
  header.version = DPROF_HISTORIES_FILE_VERSION;
  header.header_bytes = sizeof header;
  header.checksum = checksum(&header, offsetof(dprof_histories_header, checksum));
  file_.write(&header, sizeof header);
  return file_.error();
}

void HistoriesFile::write_chunk(dprof_histories_chunk kind, const Bytes &payload) {
  dprof_chunk_header header = chunk_header((dprof_chunk_kind)kind, 0, chunks_++, payload);
  file_.write(&header, sizeof header);
  file_.write(payload.data(), payload.size());
}

void HistoriesFile::write_json(dprof_histories_chunk kind, const Json &json) {
  const std::string text = json.text();
  write_chunk(kind, Bytes(text.begin(), text.end()));
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

} // namespace dprof

// Stage: sampler. The mirror of src/hardware/samples/samples-reader.ts.
#include "samples_file.h"

#include <lz4.h>
#include <string.h>

namespace dprof {
namespace {

constexpr char file_magic[] = "DPROFSMP", end_magic[] = "DPROFEND";
constexpr uint32_t version = 3;
constexpr size_t samples_per_chunk = 65536;

// The order is that of COLUMNS in src/hardware/samples/samples.ts.
constexpr char column_list[] = "[{\"name\":\"time\",\"element\":\"u64\"},"
                               "{\"name\":\"ip\",\"element\":\"u64\"},"
                               "{\"name\":\"address\",\"element\":\"u64\"},"
                               "{\"name\":\"physicalAddress\",\"element\":\"u64\"},"
                               "{\"name\":\"period\",\"element\":\"u64\"},"
                               "{\"name\":\"weight\",\"element\":\"u64\"},"
                               "{\"name\":\"dataSource\",\"element\":\"u64\"},"
                               "{\"name\":\"dataPageSize\",\"element\":\"u64\"},"
                               "{\"name\":\"pid\",\"element\":\"u32\"},"
                               "{\"name\":\"tid\",\"element\":\"u32\"},"
                               "{\"name\":\"cpu\",\"element\":\"u32\"},"
                               "{\"name\":\"event\",\"element\":\"u16\"},"
                               "{\"name\":\"misc\",\"element\":\"u16\"},"
                               "{\"name\":\"instructionLatency\",\"element\":\"u16\"},"
                               "{\"name\":\"retireLatency\",\"element\":\"u16\"},"
                               "{\"name\":\"sizeBytes\",\"element\":\"u8\"},"
                               "{\"name\":\"type\",\"element\":\"u32\"},"
                               "{\"name\":\"offset\",\"element\":\"u64\"},"
                               "{\"name\":\"place\",\"element\":\"u32\"}]";

template <typename Number> void put_number(Bytes &to, Number number) { put_raw(to, &number, sizeof number); }

// As lz4 packs it: bytes before, then one block.
void pack(Bytes &to, const uint8_t *bytes, size_t count) {
  put_number(to, (uint32_t)count);
  const size_t at = to.size();
  to.resize(at + (size_t)LZ4_compressBound((int)count));
  to.resize(at + (size_t)LZ4_compress_default((const char *)bytes, (char *)to.data() + at, (int)count,
                                              (int)(to.size() - at)));
}

} // namespace

void Columns::add_packed(const uint8_t *bytes, size_t count) {
  if (rows_ == 0) return;
  const size_t before = bytes_.size();
  pack(bytes_, bytes, count);
  stored_.push_back((uint32_t)(bytes_.size() - before));
}

int SamplesFile::create(const std::string &path) {
  if (int error = file_.create(path)) return error;
  memcpy(header_, file_magic, 8);
  memcpy(header_ + 8, &version, sizeof version);
  file_.write(header_, sizeof header_);
  return file_.error();
}

std::string SamplesFile::write_columns(const Columns &columns) {
  const Bytes &bytes = columns.bytes();
  std::string stored;
  for (uint32_t count : columns.stored()) stored += (stored.empty() ? "" : ",") + std::to_string(count);
  std::string entry = "{\"offset\":" + std::to_string(file_.offset()) + ",\"rows\":" + std::to_string(columns.rows()) +
                      ",\"storedBytes\":[" + stored +
                      "],\"checksum\":" + std::to_string(checksum(bytes.data(), bytes.size())) + "}";
  file_.write(bytes.data(), bytes.size());
  return entry;
}

void SamplesFile::add(const TypedSample &sample) {
  waiting_.push_back(sample);
  if (waiting_.size() == samples_per_chunk) flush();
}

void SamplesFile::flush() {
  if (waiting_.empty()) return;
  Columns columns(waiting_.size());
  columns.add<uint64_t>(waiting_, [](const TypedSample &row) { return row.sample.time_ns; });
  columns.add<uint64_t>(waiting_, [](const TypedSample &row) { return row.sample.ip; });
  columns.add<uint64_t>(waiting_, [](const TypedSample &row) { return row.sample.address; });
  columns.add<uint64_t>(waiting_, [](const TypedSample &row) { return row.sample.physical_address; });
  columns.add<uint64_t>(waiting_, [](const TypedSample &row) { return row.sample.period; });
  columns.add<uint64_t>(waiting_, [](const TypedSample &row) { return row.sample.weight; });
  columns.add<uint64_t>(waiting_, [](const TypedSample &row) { return row.sample.data_source; });
  columns.add<uint64_t>(waiting_, [](const TypedSample &row) { return row.sample.data_page_bytes; });
  columns.add<uint32_t>(waiting_, [](const TypedSample &row) { return row.sample.pid; });
  columns.add<uint32_t>(waiting_, [](const TypedSample &row) { return row.sample.tid; });
  columns.add<uint32_t>(waiting_, [](const TypedSample &row) { return row.sample.cpu; });
  columns.add<uint16_t>(waiting_, [](const TypedSample &row) { return row.sample.event; });
  columns.add<uint16_t>(waiting_, [](const TypedSample &row) { return row.sample.misc; });
  columns.add<uint16_t>(waiting_, [](const TypedSample &row) { return row.sample.instruction_latency; });
  columns.add<uint16_t>(waiting_, [](const TypedSample &row) { return row.sample.retire_latency; });
  columns.add<uint8_t>(waiting_, [](const TypedSample &row) { return row.sample.access_bytes; });
  columns.add<uint32_t>(waiting_, [](const TypedSample &row) { return row.type; });
  columns.add<uint64_t>(waiting_, [](const TypedSample &row) { return row.offset; });
  columns.add<uint32_t>(waiting_, [](const TypedSample &row) { return row.place; });
  chunks_ += (chunks_.empty() ? "" : ",") + write_columns(columns);
  waiting_.clear();
}

int SamplesFile::finish(const std::string &head, const std::string &typed, const Columns &rows,
                        const Columns &objects) {
  flush();
  const std::string of_rows = write_columns(rows), of_objects = write_columns(objects);
  const std::string directory = "{" + head + ",\"typed\":{" + typed + ",\"blocks\":{\"rows\":" + of_rows +
                                ",\"objects\":" + of_objects + "}},\"columns\":" + column_list + ",\"chunks\":[" +
                                chunks_ + "]}";
  Bytes packed, trailer;
  pack(packed, (const uint8_t *)directory.data(), directory.size());
  put_number(trailer, file_.offset());
  put_number(trailer, (uint32_t)packed.size());
  put_number(trailer, checksum(packed.data(), packed.size()));
  put_number(trailer, (uint32_t)0);
  put_number(trailer, checksum(trailer.data(), trailer.size(), checksum(header_, sizeof header_)));
  put_raw(trailer, end_magic, 8);
  file_.write(packed.data(), packed.size());
  file_.write(trailer.data(), trailer.size());
  return file_.finish();
}

} // namespace dprof

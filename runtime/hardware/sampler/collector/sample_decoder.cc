// Stage: sampler. Decodes a sample: the fields that the event asked for, one behind the other in the order of
// linux/perf_event.h. Only the fields that dprof asks for are known.
#include "sample_decoder.h"

#include <linux/perf_event.h>
#include <string.h>

namespace dprof {
namespace {

class Fields {
public:
  Fields(const uint8_t *record, size_t bytes) : at_(record + sizeof(perf_event_header)), end_(record + bytes) {}

  template <typename T> T take() {
    T value = {};
    if ((size_t)(end_ - at_) < sizeof value) return is_short_ = true, at_ = end_, value;
    memcpy(&value, at_, sizeof value);
    at_ += sizeof value;
    return value;
  }
  const uint8_t *pass(size_t bytes) {
    const uint8_t *begin = at_;
    if ((size_t)(end_ - at_) < bytes) return is_short_ = true, at_ = end_, nullptr;
    at_ += bytes;
    return begin;
  }
  bool is_short() const { return is_short_; }

private:
  const uint8_t *at_, *end_;
  bool is_short_ = false;
};

// Sets the fields that the kernel did not derive itself.
void take_ibs(const IbsOp &op, uint64_t fields, Sample *sample) {
  sample->access_bytes = op.access_bytes;
  if (op.has_address && sample->address == 0) sample->address = op.address;
  if (op.has_physical_address && !(fields & PERF_SAMPLE_PHYS_ADDR)) sample->physical_address = op.physical_address;
  if (!(fields & PERF_SAMPLE_WEIGHT_TYPE)) {
    sample->weight = op.miss_latency;
    sample->instruction_latency = op.retire_latency;
  }
  if (!(fields & PERF_SAMPLE_DATA_SRC)) sample->data_source = op.data_source;
}

} // namespace

bool read_identifier(const uint8_t *record, size_t bytes, uint64_t *identifier) {
  if (bytes < sizeof(perf_event_header) + sizeof *identifier) return false;
  memcpy(identifier, record + sizeof(perf_event_header), sizeof *identifier);
  return true;
}

bool decode_sample(const uint8_t *record, size_t bytes, uint64_t fields, Origin origin, const AmdModel &cpu,
                   Sample *sample) {
  *sample = {};
  perf_event_header header;
  memcpy(&header, record, sizeof header);
  sample->misc = header.misc;
  Fields rest(record, bytes);
  auto word = [&] { return rest.take<uint64_t>(); };
  if (fields & PERF_SAMPLE_IDENTIFIER) word();
  if (fields & PERF_SAMPLE_IP) sample->ip = word();
  if (fields & PERF_SAMPLE_TID) {
    sample->pid = rest.take<uint32_t>();
    sample->tid = rest.take<uint32_t>();
  }
  if (fields & PERF_SAMPLE_TIME) sample->time_ns = word();
  if (fields & PERF_SAMPLE_ADDR) sample->address = word();
  if (fields & PERF_SAMPLE_CPU) sample->cpu = (uint32_t)word();
  if (fields & PERF_SAMPLE_PERIOD) sample->period = word();
  const uint8_t *raw = nullptr;
  uint32_t raw_bytes = 0;
  if (fields & PERF_SAMPLE_RAW) {
    raw_bytes = rest.take<uint32_t>();
    raw = rest.pass(raw_bytes);
  }
  if (fields & PERF_SAMPLE_WEIGHT) {
    sample->weight = word();
  } else if (fields & PERF_SAMPLE_WEIGHT_STRUCT) {
    sample->weight = rest.take<uint32_t>();
    sample->instruction_latency = rest.take<uint16_t>();
    sample->retire_latency = rest.take<uint16_t>();
  }
  if (fields & PERF_SAMPLE_DATA_SRC) sample->data_source = word();
  if (fields & PERF_SAMPLE_PHYS_ADDR) sample->physical_address = word();
  if (fields & PERF_SAMPLE_DATA_PAGE_SIZE) sample->data_page_bytes = word();
  if (rest.is_short()) return false;
  IbsOp op;
  if (origin == Origin::ibs && raw && decode_ibs_op(raw, raw_bytes, cpu, &op)) take_ibs(op, fields, sample);
  return true;
}

} // namespace dprof

// Stage: hardware. The decoder for `dprof import`: src/hardware/import/native-records.ts declares these functions and
// hands over raw records; what comes back are numbers.
#include <napi.h>
#include <string.h>

#include <vector>

#include "ibs_op.h"
#include "spe_samples.h"

namespace dprof {
namespace {

// The answer to one IBS record, as the importer's typed array lies; every number is 64 bits.
struct IbsAnswer {
  uint64_t has_address, has_physical_address, address, physical_address, data_source, miss_latency, retire_latency,
      access_bytes;
};

// openIbs(family, model, raw, answer): decode(bytes) reads the first `bytes` of `raw`, writes `answer`, and says
// whether the record is valid. Both arrays are bound once: there is one call for each sample.
Napi::Value open_ibs(const Napi::CallbackInfo &info) {
  Napi::Env env = info.Env();
  const AmdModel cpu = {info[0].As<Napi::Number>().Uint32Value(), info[1].As<Napi::Number>().Uint32Value()};
  Napi::Uint8Array raw = info[2].As<Napi::Uint8Array>(), answer = info[3].As<Napi::Uint8Array>();
  if (answer.ByteLength() != sizeof(IbsAnswer)) throw Napi::TypeError::New(env, "openIbs: an answer of 64 bytes");
  Napi::Function decode = Napi::Function::New(
      env, [cpu, from = raw.Data(), most = raw.ByteLength(), to = answer.Data()](const Napi::CallbackInfo &call) {
        const size_t bytes = call[0].As<Napi::Number>().Uint32Value();
        IbsOp op;
        const bool is_valid = decode_ibs_op(from, bytes < most ? bytes : most, cpu, &op);
        if (is_valid) {
          const IbsAnswer found = {op.has_address, op.has_physical_address, op.address,        op.physical_address,
                                   op.data_source, op.miss_latency,         op.retire_latency, op.access_bytes};
          memcpy(to, &found, sizeof found);
        }
        return Napi::Boolean::New(call.Env(), is_valid);
      });
  // They live as long as the function that reads and writes them.
  decode.Set("raw", raw);
  decode.Set("answer", answer);
  return decode;
}

template <typename Array, typename Get> Array column(Napi::Env env, const std::vector<SpeSample> &rows, Get get) {
  Array array = Array::New(env, rows.size());
  for (size_t row = 0; row < rows.size(); row++) array[row] = get(rows[row]);
  return array;
}

// readSpe(bytes, cpuId): the columns of a buffer's loads and stores, and counts of what was passed over.
Napi::Value read_spe(const Napi::CallbackInfo &info) {
  Napi::Env env = info.Env();
  Napi::Uint8Array bytes = info[0].As<Napi::Uint8Array>();
  const SpeBuffer read =
      read_spe_buffer(bytes.Data(), bytes.ByteLength(), numbers_sources(info[1].As<Napi::String>().Utf8Value()));
  const std::vector<SpeSample> &rows = read.samples;
  using Words = Napi::BigUint64Array;
  Napi::Object result = Napi::Object::New(env);
  result.Set("ip", column<Words>(env, rows, [](const SpeSample &row) { return row.ip; }));
  result.Set("address", column<Words>(env, rows, [](const SpeSample &row) { return row.address; }));
  result.Set("physicalAddress", column<Words>(env, rows, [](const SpeSample &row) { return row.physical_address; }));
  result.Set("timestamp", column<Words>(env, rows, [](const SpeSample &row) { return row.timestamp; }));
  result.Set("dataSource", column<Words>(env, rows, [](const SpeSample &row) { return row.data_source; }));
  result.Set("latency", column<Napi::Uint32Array>(env, rows, [](const SpeSample &row) { return row.latency; }));
  result.Set("thread", column<Napi::Float64Array>(env, rows, [](const SpeSample &row) { return (double)row.thread; }));
  result.Set("others", (double)read.others);
  result.Set("badBytes", (double)read.outcome.bad_bytes);
  result.Set("cutRecords", (double)read.outcome.cut_records);
  return result;
}

} // namespace
} // namespace dprof

static Napi::Object initialise_module(Napi::Env env, Napi::Object exports) {
  exports.Set("openIbs", Napi::Function::New(env, dprof::open_ibs));
  exports.Set("readSpe", Napi::Function::New(env, dprof::read_spe));
  return exports;
}

NODE_API_MODULE(dprof_records, initialise_module)

// Stage: blocks. For src/blocks: how often each record was made.
#include <memory>

#include "addon/addon.h"
#include "addon/addon_columns.h"
#include "addon/background.h"
#include "trace/record_executions.h"

namespace dprof {

namespace {

struct ExecutionsJob {
  explicit ExecutionsJob(Napi::Object from) : columns(Napi::Persistent(from)), input(readInput(from)) {}

  Napi::Value result(Napi::Env env) const {
    return fill<F64>(env, counts.size(), [&](size_t record) { return real(counts[record]); });
  }

  Napi::ObjectReference columns; // borrowed by `input`
  Input input;
  std::vector<uint64_t> counts;
};

Napi::Value recordExecutions(const Napi::CallbackInfo &info) {
  return typed(info.Env(), [&] {
    auto job = std::make_shared<ExecutionsJob>(info[0].As<Napi::Object>());
    return inBackground(
        info.Env(), [job] { job->counts = countExecutions(job->input); },
        [job](Napi::Env env) { return job->result(env); });
  });
}

} // namespace

void addBlocks(Napi::Env env, Napi::Object exports) {
  exports.Set("recordExecutions", Napi::Function::New(env, recordExecutions));
}

} // namespace dprof

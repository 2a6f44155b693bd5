// Stage: blocks. For src/blocks: how often each record was made, and which came next.
#include <memory>

#include "addon/addon.h"
#include "addon/addon_columns.h"
#include "addon/background.h"
#include "order/ordered_stream.h"
#include "trace/record_executions.h"

namespace dprof {

namespace {

struct ExecutionsJob {
  explicit ExecutionsJob(Napi::Object from) : columns(Napi::Persistent(from)), input(readInput(from)), counts(input) {}

  void count() {
    if (!input.window.asked) return counts.countAll();
    const Plans plans = makePlans(input);
    const TraceFile file(input.path);
    OrderedStream stream(file, plans, input, input.threadsWithSteps());
    stream.watch(
        [this](uint32_t thread, uint32_t record, const RecordPlan &plan) { counts.pass(thread, record, plan); });
    ReferenceBatch batch;
    while (stream.next(batch)) {}
  }

  Napi::Value result(Napi::Env env) const {
    const std::vector<RecordExecutions::Next> nexts = counts.nexts();
    Napi::Object result = Napi::Object::New(env);
    result.Set("made", fill<F64>(env, counts.made.size(), [&](size_t record) { return real(counts.made[record]); }));
    result.Set("record", fill<U32>(env, nexts.size(), [&](size_t i) { return nexts[i].record; }));
    result.Set("next", fill<U32>(env, nexts.size(), [&](size_t i) { return nexts[i].next; }));
    result.Set("times", fill<F64>(env, nexts.size(), [&](size_t i) { return real(nexts[i].times); }));
    return result;
  }

  Napi::ObjectReference columns; // borrowed by `input`
  Input input;
  RecordExecutions counts;
};

Napi::Value recordExecutions(const Napi::CallbackInfo &info) {
  return typed(info.Env(), [&] {
    auto job = std::make_shared<ExecutionsJob>(info[0].As<Napi::Object>());
    return inBackground(info.Env(), [job] { job->count(); }, [job](Napi::Env env) { return job->result(env); });
  });
}

} // namespace

void addBlocks(Napi::Env env, Napi::Object exports) {
  exports.Set("recordExecutions", Napi::Function::New(env, recordExecutions));
}

} // namespace dprof

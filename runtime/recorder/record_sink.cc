// Stage: recorder. Calls into a sink, in the order that dprof/sink.h promises.
#include "record_sink.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

namespace dprof {

RecordSink::RecordSink(const dprof_sink_functions &functions, void *library, const std::string &argument,
                       const std::string &name)
    : functions_(functions), library_(library), argument_(argument) {
  name_ = name;
}

RecordSink::~RecordSink() {
  if (library_) dlclose(library_);
}

bool RecordSink::begin(const dprof_sink_process &process) {
  sink_ = functions_.open(argument_.c_str(), &process);
  if (!sink_) error_ = ECANCELED;
  return sink_;
}

void RecordSink::take_module(const dprof_sink_module &module) {
  if (sink_ && !error_ && functions_.functions) error_ = functions_.functions(sink_, &module);
}

void RecordSink::take_records(const std::vector<dprof_sink_record> &records) {
  if (sink_ && !error_ && functions_.records) error_ = functions_.records(sink_, records.data(), records.size());
  if (!sink_ || error_ || !functions_.allocations) return;
  allocations_.clear();
  for (const dprof_sink_record &record : records)
    if (record.kind == DPROF_SINK_ALLOCATE || record.kind == DPROF_SINK_FREE) allocations_.push_back(record);
  if (!allocations_.empty()) error_ = functions_.allocations(sink_, allocations_.data(), allocations_.size());
}

void RecordSink::write_end(const Bytes &json) {
  if (sink_ && functions_.close) functions_.close(sink_, std::string(json.begin(), json.end()).c_str());
  sink_ = nullptr;
}

std::unique_ptr<Sink> open_plugin(const std::string &path, const std::string &argument, Failure *failure) {
  std::string found = path.find('/') == std::string::npos ? "./" + path : path;
  void *library = dlopen(found.c_str(), RTLD_NOW | RTLD_LOCAL);
  const char *problem = library ? nullptr : dlerror();
  const dprof_sink_functions *functions =
      library ? (const dprof_sink_functions *)dlsym(library, "dprof_sink") : nullptr;
  std::string hint = "docs/sinks.md shows how one is written and compiled";
  if (!library)
    *failure = {std::string("can not load the sink: ") + (problem ? problem : found.c_str()), hint};
  else if (!functions || !functions->open)
    *failure = {path + " is no sink: it defines no dprof_sink with an open function", hint};
  else if (functions->version != DPROF_SINK_VERSION)
    *failure = {path + " is a sink of version " + std::to_string(functions->version) + ", and this is version " +
                    std::to_string(DPROF_SINK_VERSION),
                "compile it against this dprof's dprof/sink.h"};
  else
    return std::make_unique<RecordSink>(*functions, library, argument, path);
  if (library) dlclose(library);
  return nullptr;
}

std::unique_ptr<Sink> open_text(const std::string &path, Failure *failure) {
  if (!path.empty()) { // where it can not be written, nothing is started
    int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) {
      *failure = {"can not write " + path + ": " + strerror(errno), "choose another place with -o"};
      return nullptr;
    }
    close(fd);
  }
  return std::make_unique<RecordSink>(text_sink, nullptr, path, path.empty() ? "standard output" : path);
}

} // namespace dprof

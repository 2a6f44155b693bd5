// Stage: replay -> stream.
#include "stream/native_kernel.h"

#include <cstdlib>
#include <dlfcn.h>

namespace dprof {

NativeKernel::NativeKernel(const std::string &path) : library_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (!library_) throw InputError(dlerror());
  kernel_ = static_cast<const dprof_kernel_functions *>(dlsym(library_, "dprof_kernel"));
  std::string why;
  if (!kernel_)
    why = "it defines no dprof_kernel";
  else if (kernel_->version != DPROF_KERNEL_VERSION)
    why = "its dprof_kernel is of version " + std::to_string(kernel_->version) + ", and this dprof has " +
          std::to_string(DPROF_KERNEL_VERSION);
  else if (!kernel_->columns || !kernel_->batch || !kernel_->end)
    why = "its dprof_kernel lacks columns, batch or end";
  if (why.empty()) return;
  dlclose(library_);
  throw InputError(why);
}

NativeKernel::~NativeKernel() { dlclose(library_); }

std::vector<std::string> NativeKernel::columnNames() const {
  std::vector<std::string> names;
  for (const char *const *name = kernel_->columns; *name; name++) names.emplace_back(*name);
  return names;
}

/// A column of rows as it is.
static dprof_kernel_column rawColumn(const std::string &name, const ReferenceRows &rows) {
  auto of = [&](const auto &column) {
    return dprof_kernel_column{name.c_str(), column.data(), sizeof column[0], 0, nullptr, nullptr};
  };
  if (name == "number") return of(rows.number);
  if (name == "time") return of(rows.time);
  if (name == "address") return of(rows.address);
  if (name == "size") return of(rows.size);
  if (name == "thread") return of(rows.thread);
  if (name == "core") return of(rows.core);
  if (name == "object") return of(rows.object);
  if (name == "objectOffset") return of(rows.offset);
  if (name == "age") return of(rows.age);
  if (name == "value") {
    dprof_kernel_column column = of(rows.value);
    column.known = rows.valueKnown.data();
    return column;
  }
  for (size_t level = 0; level < 3; level++) {
    if (name == EVICTED[level]) return of(rows.evicted[level]);
    if (name == EVICTED_OBJECT[level]) return of(rows.evictedObject[level]);
  }
  if (name == "invalidated") return of(rows.invalidated);
  throw InputError("a kernel in C cannot have the column '" + name + "'");
}

std::string NativeKernel::run(const Input &input, const ReferenceColumns &asked,
                              const std::vector<PackedColumn> &packed, const std::vector<KernelColumn> &columns) const {
  std::vector<std::vector<const char *>> words;
  for (const KernelColumn &column : columns) {
    words.emplace_back();
    for (const std::string &word : column.words) words.back().push_back(word.c_str());
  }
  void *const state = kernel_->start ? kernel_->start() : nullptr;
  // Whoever watches over it sees how far it is, and in which part: KERNEL_PARTS of src/kernel/kernel-process.ts.
  enum Part : uint8_t { NONE, BATCH, END };
  uint64_t counted = 0;
  auto beat = [&](Part part) {
    if (!input.progress) return;
    input.progress[0] = static_cast<double>(counted);
    input.progress[1] = part;
  };
  ReferenceWalk(input, asked).run([&](ReferenceRows &rows) {
    std::vector<PackedRows> made;
    for (const PackedColumn &column : packed) made.push_back(packRows(rows, column));
    std::vector<dprof_kernel_column> of;
    for (size_t i = 0; i < columns.size(); i++) {
      const KernelColumn &column = columns[i];
      if (!column.packed) {
        of.push_back(rawColumn(column.name, rows));
        continue;
      }
      const bool hasWords = !column.words.empty();
      of.push_back({column.name.c_str(), made[*column.packed].values.data(), packed[*column.packed].bytes,
                    static_cast<uint32_t>(words[i].size()), hasWords ? words[i].data() : nullptr, nullptr});
    }
    const dprof_kernel_rows batch{rows.count(), of.data()};
    beat(BATCH);
    kernel_->batch(state, &batch);
    counted += batch.count;
    beat(NONE);
  });
  char *text = nullptr;
  size_t bytes = 0;
  FILE *const answer = open_memstream(&text, &bytes);
  if (!answer) throw std::bad_alloc();
  beat(END);
  kernel_->end(state, answer);
  fclose(answer);
  std::string said(text, bytes);
  std::free(text);
  return said;
}

} // namespace dprof

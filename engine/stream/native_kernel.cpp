// Stage: replay -> stream.
#include "stream/native_kernel.h"

#include <cstdlib>
#include <dlfcn.h>

#include "stream/arrow_references.h"
#include "stream/raw_column.h"

namespace dprof {

/// Why they are no kernel's; empty: they are.
template <typename Functions> static std::string refusal(const Functions &functions, const char *name, bool isWhole) {
  if (functions.version != DPROF_KERNEL_VERSION)
    return std::string("its ") + name + " is of version " + std::to_string(functions.version) +
           ", and this dprof has " + std::to_string(DPROF_KERNEL_VERSION);
  return isWhole ? "" : std::string("its ") + name + " lacks one of its parts";
}

NativeKernel::NativeKernel(const std::string &path) : library_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (!library_) throw InputError(dlerror());
  kernel_ = static_cast<const dprof_kernel_functions *>(dlsym(library_, "dprof_kernel"));
  arrow_ = static_cast<const dprof_arrow_kernel_functions *>(dlsym(library_, "dprof_arrow_kernel"));
  std::string why;
  if (kernel_ && arrow_)
    why = "it defines both dprof_kernel and dprof_arrow_kernel";
  else if (kernel_)
    why = refusal(*kernel_, "dprof_kernel", kernel_->columns && kernel_->batch && kernel_->end);
  else if (arrow_)
    why = refusal(*arrow_, "dprof_arrow_kernel", arrow_->columns && arrow_->run);
  else
    why = "it defines no dprof_kernel, and no dprof_arrow_kernel";
  if (why.empty()) return;
  dlclose(library_);
  throw InputError(why);
}

NativeKernel::~NativeKernel() { dlclose(library_); }

std::vector<std::string> NativeKernel::columnNames() const {
  std::vector<std::string> names;
  for (const char *const *name = arrow_ ? arrow_->columns : kernel_->columns; *name; name++) names.emplace_back(*name);
  return names;
}

/// A column of rows as it is.
static dprof_kernel_column rawColumn(const std::string &name, const ReferenceRows &rows) {
  return withRawColumn(name, rows, [&](const auto &column, Absent absent) {
    const uint8_t *const known = absent == Absent::BIT ? rows.valueKnown.data() : nullptr;
    return dprof_kernel_column{name.c_str(), column.data(), sizeof column[0], 0, nullptr, known};
  });
}

/// What the kernel prints into the file that `use` gets.
template <typename Use> static std::string printed(Use use) {
  char *text = nullptr;
  size_t bytes = 0;
  FILE *const answer = open_memstream(&text, &bytes);
  if (!answer) throw std::bad_alloc();
  use(answer);
  fclose(answer);
  std::string said(text, bytes);
  std::free(text);
  return said;
}

KernelAnswer NativeKernel::run(const Input &input, const ReferenceColumns &asked,
                               const std::vector<PackedColumn> &packed,
                               const std::vector<KernelColumn> &columns) const {
  if (arrow_) {
    ArrowReferences references(input, asked, packed, columns);
    int failed = 0;
    std::string text = printed([&](FILE *answer) { failed = references.readBy(*arrow_, answer); });
    return {std::move(text), failed};
  }
  std::vector<std::vector<const char *>> words;
  for (const KernelColumn &column : columns) {
    words.emplace_back();
    if (!column.words) continue;
    for (const std::string &word : *column.words) words.back().push_back(word.c_str());
  }
  void *const state = kernel_->start ? kernel_->start() : nullptr;
  KernelBeat beat(input);
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
      const bool hasWords = !words[i].empty();
      of.push_back({column.name.c_str(), made[*column.packed].values.data(), packed[*column.packed].bytes,
                    static_cast<uint32_t>(words[i].size()), hasWords ? words[i].data() : nullptr, nullptr});
    }
    const dprof_kernel_rows batch{rows.count(), of.data()};
    beat.in(KernelBeat::BATCH);
    kernel_->batch(state, &batch);
    beat.counted += batch.count;
    beat.in(KernelBeat::NONE);
  });
  beat.in(KernelBeat::END);
  return {printed([&](FILE *answer) { kernel_->end(state, answer); }), 0};
}

} // namespace dprof

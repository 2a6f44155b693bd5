// Stage: stream -> Arrow. Rows as Arrow's C data interface has them (dprof/arrow.h): numbers are unsigned, words are
// dictionaries. Columns keep the memory that rows were made in; nothing is copied but what has to be another number.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dprof/arrow.h"
#include "stream/kernel_column.h"
#include "stream/reference_feed.h"

namespace dprof {

class ArrowColumns {
public:
  /// Both are borrowed.
  ArrowColumns(const std::vector<KernelColumn> &columns, const std::vector<PackedColumn> &packed);
  /// A struct of the columns. Whoever has it releases it; so with arrays.
  ArrowSchema schema() const;
  ArrowArray array(FedRows &&rows) const;

private:
  struct Words {
    std::vector<int32_t> ends{0}; // the first is 0
    std::string text;
  };
  const char *formatOf(const KernelColumn &column) const;

  const std::vector<KernelColumn> &columns_;
  const std::vector<PackedColumn> &packed_;
  std::vector<std::shared_ptr<const Words>> words_; // by column; null: numbers
};

} // namespace dprof

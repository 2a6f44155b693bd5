// Stage: stream -> Arrow.
#include "stream/arrow_columns.h"

#include <bit>

#include "base/no_index.h"
#include "stream/raw_column.h"

namespace dprof {

namespace {

/// What a schema or an array points to, until it is released. Children may be taken out and released by themselves.
template <typename Arrow> struct Node {
  std::vector<Arrow> children;
  std::vector<Arrow *> places;
  std::optional<Arrow> dictionary;
  std::string name;
  std::vector<const void *> buffers;
  std::shared_ptr<const void> memory;

  static void release(Arrow *arrow) {
    Node *const node = static_cast<Node *>(arrow->private_data);
    for (Arrow &child : node->children)
      if (child.release) child.release(&child);
    if (node->dictionary && node->dictionary->release) node->dictionary->release(&*node->dictionary);
    delete node;
    arrow->release = nullptr;
  }

  /// Gives the node away.
  static void own(Arrow &arrow, std::unique_ptr<Node> node) {
    for (Arrow &child : node->children) node->places.push_back(&child);
    arrow.n_children = static_cast<int64_t>(node->children.size());
    arrow.children = node->places.data();
    arrow.dictionary = node->dictionary ? &*node->dictionary : nullptr;
    arrow.release = release;
    arrow.private_data = node.release();
  }
};

using SchemaNode = Node<ArrowSchema>;
using ArrayNode = Node<ArrowArray>;

ArrowSchema schemaOf(const char *format, const std::string &name, std::unique_ptr<SchemaNode> node) {
  ArrowSchema schema{};
  node->name = name;
  schema.format = format;
  schema.name = node->name.c_str();
  SchemaNode::own(schema, std::move(node));
  return schema;
}

int64_t countNulls(size_t length, const void *known) {
  if (!known) return 0;
  const uint8_t *const bits = static_cast<const uint8_t *>(known);
  int64_t ones = 0;
  for (size_t at = 0; at < length / 8; at++) ones += std::popcount(bits[at]);
  for (size_t row = length / 8 * 8; row < length; row++) ones += bits[row / 8] >> row % 8 & 1;
  return static_cast<int64_t>(length) - ones;
}

ArrowArray arrayOf(size_t length, std::vector<const void *> buffers, std::unique_ptr<ArrayNode> node) {
  ArrowArray array{};
  node->buffers = std::move(buffers);
  array.length = static_cast<int64_t>(length);
  array.null_count = countNulls(length, node->buffers[0]); // DuckDB takes "unknown" for "none"
  array.n_buffers = static_cast<int64_t>(node->buffers.size());
  array.buffers = node->buffers.data();
  ArrayNode::own(array, std::move(node));
  return array;
}

const char *formatOfBytes(size_t bytes) {
  switch (bytes) {
    case 1: return "C";
    case 2: return "S";
    case 4: return "I";
    default: return "L";
  }
}

/// The memory of a batch: all columns have a share of it.
struct ColumnMemory {
  FedRows fed;
  std::vector<std::vector<uint8_t>> known; // bits, of columns whose rows say it by a value
};

/// The bits of rows whose value is another than `none`; null: all.
template <typename T> const void *knownRows(ColumnMemory &batch, const RowColumn<T> &values, T none) {
  std::vector<uint8_t> bits((values.size() + 7) / 8);
  bool all = true;
  for (size_t row = 0; row < values.size(); row++) {
    const bool known = values[row] != none;
    bits[row / 8] |= static_cast<uint8_t>(known << row % 8);
    all &= known;
  }
  if (all) return nullptr;
  batch.known.push_back(std::move(bits));
  return batch.known.back().data();
}

/// Whole numbers that JavaScript wants as doubles become themselves, where they are.
void makeWhole(RowColumn<double> &values) {
  for (double &value : values) value = std::bit_cast<double>(static_cast<uint64_t>(value));
}

std::vector<const void *> rawBuffers(ColumnMemory &batch, const std::string &name) {
  ReferenceRows &rows = batch.fed.rows;
  return withRawColumn(name, rows, [&]<typename T>(RowColumn<T> &values, Absent absent) -> std::vector<const void *> {
    const void *known = nullptr;
    if (absent == Absent::BIT) known = rows.valueKnown.data();
    if (absent == Absent::NO_INDEX) known = knownRows(batch, values, static_cast<T>(NO_INDEX));
    if (absent == Absent::ZERO) known = knownRows(batch, values, T{0});
    if constexpr (std::is_same_v<T, double>) makeWhole(values);
    return {known, values.data()};
  });
}

} // namespace

ArrowColumns::ArrowColumns(const std::vector<KernelColumn> &columns, const std::vector<PackedColumn> &packed)
    : columns_(columns), packed_(packed) {
  for (const KernelColumn &column : columns) {
    words_.emplace_back();
    if (!column.words) continue;
    auto words = std::make_shared<Words>();
    for (const std::string &word : *column.words) {
      words->text += word;
      words->ends.push_back(static_cast<int32_t>(words->text.size()));
    }
    words_.back() = std::move(words);
  }
}

const char *ArrowColumns::formatOf(const KernelColumn &column) const {
  if (column.packed) return formatOfBytes(packed_[*column.packed].bytes);
  const ReferenceRows none;
  return withRawColumn(column.name, none, [](const auto &values, Absent) { return formatOfBytes(sizeof values[0]); });
}

ArrowSchema ArrowColumns::schema() const {
  auto all = std::make_unique<SchemaNode>();
  for (const KernelColumn &column : columns_) {
    auto node = std::make_unique<SchemaNode>();
    if (column.words) node->dictionary = schemaOf("u", "", std::make_unique<SchemaNode>());
    all->children.push_back(schemaOf(formatOf(column), column.name, std::move(node)));
    all->children.back().flags = ARROW_FLAG_NULLABLE;
  }
  return schemaOf("+s", "", std::move(all));
}

ArrowArray ArrowColumns::array(FedRows &&rows) const {
  const size_t count = rows.rows.count();
  auto batch = std::make_shared<ColumnMemory>(std::move(rows));
  batch->known.reserve(columns_.size());
  auto all = std::make_unique<ArrayNode>();
  for (size_t i = 0; i < columns_.size(); i++) {
    const KernelColumn &column = columns_[i];
    auto node = std::make_unique<ArrayNode>();
    node->memory = batch;
    if (words_[i]) {
      auto of = std::make_unique<ArrayNode>();
      of->memory = words_[i];
      node->dictionary = arrayOf(words_[i]->ends.size() - 1, {nullptr, words_[i]->ends.data(), words_[i]->text.c_str()},
                                 std::move(of));
    }
    std::vector<const void *> buffers;
    if (column.packed) {
      const PackedRows &made = batch->fed.packed[*column.packed];
      buffers = {made.validity.empty() ? nullptr : made.validity.data(), made.values.data()};
    } else {
      buffers = rawBuffers(*batch, column.name);
    }
    all->children.push_back(arrayOf(count, std::move(buffers), std::move(node)));
  }
  return arrayOf(count, {nullptr}, std::move(all));
}

} // namespace dprof

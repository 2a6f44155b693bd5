// Stage: trace -> replay. Follows a path by its number (Ball and Larus) and notes where each of its records' words
// comes from.
#include "trace/path_table.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <unordered_map>

#include "trace/quick_words.h"

namespace dprof {

constexpr uint32_t PATHS_PER_ENTRY = sizeof(dprof_region);
constexpr size_t MAX_ITEMS = 1 << 20;        // records, and words, of a path
constexpr uint64_t MAX_TOTAL_SIZE = 1 << 26; // of all paths that one thread takes: records, words and nodes,
constexpr uint64_t PATH_SIZE = 16;           // and so many more for each path
constexpr size_t FIRST_BLOCK_WORDS = 1 << 8, BLOCK_WORDS = 1 << 16; // a short thread takes few paths

struct PathTable::Items {
  const Plans &plans;
  const uint64_t number;
  const Cursor &control;
  std::vector<uint32_t> records, lengths;
  std::vector<WordSource> words;
  uint32_t codedWords = 0;
  bool stamped = false;
  std::unordered_map<uint32_t, uint32_t> loggedAt; // slot -> coded word of its address

  Items(const Plans &plans, uint64_t number, const Cursor &control) : plans(plans), number(number), control(control) {}

  [[noreturn]] void refuse(const std::string &expected, const std::string &actual) const {
    throw TraceError("path " + std::to_string(number) + " in the control column", control.offset, expected, actual);
  }

  void addRecord(uint32_t record) {
    const RecordPlan &plan = plans.records[record];
    if (stamped) refuse("nothing behind its STAMPED record", "record " + std::to_string(record));
    if (records.size() >= MAX_ITEMS || words.size() + plan.codedWords > MAX_ITEMS)
      refuse("at most " + std::to_string(MAX_ITEMS) + " records and words", "more");
    stamped = plan.stamped;
    records.push_back(record);
    if (plan.tag == DPROF_RECORD_ALLOCATION) addLogged(2);
    if (plan.tag == DPROF_RECORD_FREE) addLogged(1);
    for (uint32_t slot = plan.firstSlot; slot < plan.firstSlot + plan.slotCount; slot++) addSlot(slot);
  }

  void addSlot(uint32_t slot) {
    const SlotPlan &plan = plans.slots[slot];
    uint64_t count = wordsOfSlot(plan);
    if (uint32_t base = plans.slotBase[slot]) {
      auto logged = loggedAt.find(base - 1);
      if (logged == loggedAt.end() || count == 0)
        refuse("slot " + std::to_string(base - 1) + ", the base of slot " + std::to_string(slot) + ", before it",
               "none");
      words.push_back({logged->second, plans.slotDelta[slot]});
      count--;
    } else {
      loggedAt[slot] = codedWords;
    }
    addLogged(count);
    if ((plan.kind == DPROF_SLOT_COPY_STORE || plan.kind == DPROF_SLOT_FILL || plan.kind == DPROF_SLOT_SCAN) &&
        plan.size == DPROF_SIZE_DYNAMIC)
      lengths.push_back(codedWords - 1);
  }

  void addLogged(uint64_t count) {
    for (; count; count--) words.push_back({codedWords++, 0});
  }

  void addLoop(uint32_t first, uint32_t count, LoopShape &shape) {
    std::unordered_map<uint32_t, LoopShape::Stride> strideOf; // by coded word
    codedWords = 1;
    for (uint32_t i = 0; i < count; i++) {
      const RecordPlan &plan = plans.records[first + i];
      if (i == shape.tailRecords) shape.tailWords = static_cast<uint32_t>(words.size());
      if (plan.tag != DPROF_RECORD_SEGMENT || plan.stamped || plan.flags)
        refuse("segments in a loop", "record " + std::to_string(first + i));
      if (records.size() >= MAX_ITEMS || words.size() + plan.codedWords > MAX_ITEMS)
        refuse("at most " + std::to_string(MAX_ITEMS) + " records and words", "more");
      records.push_back(first + i);
      shape.plain = shape.plain && plan.plain;
      for (uint32_t slot = plan.firstSlot; slot < plan.firstSlot + plan.slotCount; slot++) {
        if (plans.slots[slot].kind > DPROF_SLOT_FILL || wordsOfSlot(plans.slots[slot]) != 1)
          refuse("loads, stores and blocks of static size in a loop",
                 "slot kind " + std::to_string(plans.slots[slot].kind));
        addSlot(slot);
        uint32_t coded = words.back().coded;
        if (plans.slotBase[slot] == 0) {
          int32_t delta = plans.slotDelta[slot];
          strideOf[coded] =
              delta == DPROF_STRIDE_LOGGED ? LoopShape::Stride{codedWords++, 0} : LoopShape::Stride{0, delta};
        }
        shape.strides.push_back(strideOf[coded]);
        shape.slots.push_back(slot);
        shape.before.push_back(shape.instructions);
      }
      shape.instructions += plan.instructions;
    }
  }
};

Path *PathTable::follow(uint64_t number, const Cursor &control) {
  const auto &regions = plans_.regions;
  const auto &nodes = plans_.nodes;
  const auto &edges = plans_.edges;
  Items items(plans_, number, control);
  if (number >= uint64_t{regions.pathCount.count} * PATHS_PER_ENTRY)
    items.refuse("below " + std::to_string(regions.pathCount.count * PATHS_PER_ENTRY) + ", as the MODULE chunks have",
                 "it");
  size_t entry = number / PATHS_PER_ENTRY;
  entry -= regions.back[entry];
  uint64_t left = number - entry * PATHS_PER_ENTRY, nodesPassed = 1;
  if (left >= regions.pathCount[entry])
    items.refuse("a path of the " + std::to_string(regions.pathCount[entry]) + " of region " + std::to_string(entry),
                 std::to_string(left));
  if (regions.isLoop[entry]) {
    auto loop = std::make_unique<LoopShape>();
    uint32_t node = regions.firstNode[entry];
    loop->tailRecords = static_cast<uint32_t>(left);
    items.addLoop(nodes.firstRecord[node], nodes.recordCount[node], *loop);
    countSize(items, 1);
    addIterations(items, *loop);
    loops_.push_back(std::move(loop));
    return build(number, items, loops_.back().get());
  }
  for (uint32_t node = regions.firstNode[entry];; nodesPassed++) {
    for (uint32_t i = 0; i < nodes.recordCount[node]; i++) items.addRecord(nodes.firstRecord[node] + i);
    if (left == 0 && nodes.ends[node]) break;
    const uint32_t *first = edges.before.data + nodes.firstEdge[node];
    const uint32_t *behind = std::upper_bound(first, first + nodes.edgeCount[node], left);
    if (behind == first) items.refuse("an edge of region " + std::to_string(entry), "none");
    left -= behind[-1];
    node = regions.firstNode[entry] + edges.node[static_cast<size_t>(behind - 1 - edges.before.data)];
  }
  if (items.records.empty()) items.refuse("a record", "none");
  countSize(items, nodesPassed);
  return build(number, items, nullptr);
}

void PathTable::countSize(const Items &items, uint64_t nodesPassed) {
  totalSize_ += PATH_SIZE + items.records.size() + items.words.size() + nodesPassed;
  if (totalSize_ > MAX_TOTAL_SIZE)
    items.refuse("paths of a thread with at most " + std::to_string(MAX_TOTAL_SIZE) + " records, words and nodes",
                 "more");
}

void PlainPath::addCall(const RecordPlan &record) {
  const uint8_t flags = record.flags & CallStack::MOVES;
  Call *const last = calls.empty() ? nullptr : &calls.back();
  if (!last || last->function != record.function || last->flags & DPROF_RECORD_EXIT || flags & DPROF_RECORD_ENTRY) {
    calls.push_back({record.function, record.call, flags});
    return;
  }
  last->call = record.call;
  if (flags && last->flags) last->flags |= CallStack::OF_TWO;
  last->flags |= flags;
}

void PlainPath::complete(const Plans &plans, JoinedRuns &joined) {
  hasStructs = std::any_of(words.begin(), words.end(),
                           [&](const PlainWord &word) { return plans.slots[word.shape.slot].isStruct; });
  findRuns(joined);
}

void PlainPath::findRuns(JoinedRuns &joined) {
  constexpr int64_t MOST_BYTES = 64;
  for (size_t begin = 0, end; begin < words.size(); begin = end) {
    int64_t low = words[begin].source.delta, high = low + words[begin].shape.reach;
    for (end = begin + 1; end < words.size() && words[end].source.coded == words[begin].source.coded; end++) {
      const int64_t first = words[end].source.delta, last = first + words[end].shape.reach;
      if (std::max(high, last) - std::min(low, first) >= MOST_BYTES || joined.isFull()) break;
      low = std::min(low, first);
      high = std::max(high, last);
    }
    PlainRun run{{words[begin].source.coded, static_cast<int32_t>(low)},
                 words[begin].shape,
                 0,
                 0,
                 before.empty() ? 0 : before[begin],
                 static_cast<uint16_t>(begin),
                 static_cast<uint16_t>(end - begin)};
    JoinedRun all;
    for (size_t at = begin; at < end; at++) {
      const SlotShape shape = words[at].shape;
      const uint32_t offset = static_cast<uint32_t>(words[at].source.delta - low);
      run.bytes |= bytesOf(shape.reach) << (offset & 63);
      run.shape.store |= shape.store;
      all.push_back({shape.slot, offset, before.empty() ? 0 : before[at] - before[begin]});
    }
    if (run.count > 1) {
      run.shape.slot = joined.slotOf(std::move(all));
      run.shape.reach = static_cast<uint32_t>(high - low);
    }
    run.tagBits = tagBits(run.shape.store);
    runs.push_back(run);
  }
  if (runs.size() > 1) luck.pause = 0;
}

const PlainPath *PathTable::plainOf(const Items &items) {
  auto isPlain = [&](uint32_t record) { return plans_.records[record].plain; };
  if (!plain_ || items.stamped || items.words.size() > MOST_PLAIN_WORDS ||
      !std::all_of(items.records.begin(), items.records.end(), isPlain))
    return nullptr;
  auto path = std::make_unique<PlainPath>();
  size_t word = 0;
  for (uint32_t record : items.records) {
    const RecordPlan &plan = plans_.records[record];
    if (plans_.timed) path->before.insert(path->before.end(), plan.slotCount, path->instructions);
    path->instructions += plan.instructions;
    path->counts += {plan.segments(), plan.slotCount};
    path->addCall(plan);
    path->records.push_back(record);
    for (uint32_t slot = plan.firstSlot; slot < plan.firstSlot + plan.slotCount; slot++)
      path->words.push_back({items.words[word++], plans_.shapes[slot]});
  }
  path->codedWords = items.codedWords;
  path->number = items.number;
  path->complete(plans_, joined);
  plainPaths_.push_back(std::move(path));
  return plainPaths_.back().get();
}

void PathTable::addIterations(const Items &items, LoopShape &loop) {
  const auto records = static_cast<uint32_t>(items.records.size()), words = static_cast<uint32_t>(loop.slots.size());
  if (!loopsPlain_ || !loop.plain || words == 0 || words > SHORT_LOOP_WORDS) return;
  loop.iteration = iterationOf(items, loop, records, words);
  if (loop.tailRecords) loop.tail = iterationOf(items, loop, loop.tailRecords, loop.tailWords);
  loop.mostShort = SHORT_LOOP_WORDS / words;
  constexpr int32_t FAR = 1 << 24; // so many bytes apart, iterations may be beyond 32 bits
  const bool isFixed = std::all_of(loop.strides.begin(), loop.strides.end(), [](const LoopShape::Stride &stride) {
    return stride.coded == 0 && stride.delta > -FAR && stride.delta < FAR;
  });
  const bool isNear = std::all_of(items.words.begin(), items.words.end(), [](const WordSource &source) {
    return source.delta > -(1 << 30) && source.delta < 1 << 30;
  });
  if (isFixed && isNear) loop.whole.resize(loop.mostWhole = loop.mostShort);
}

Path *PathTable::makeWhole(Path &path, uint32_t iterations) {
  constexpr uint64_t MOST_WORDS = 1 << 18;
  const LoopShape &loop = *path.loop;
  const uint32_t words = iterations * path.wordCount + loop.tailWords;
  if ((wholeWords_ += words) > MOST_WORDS) return nullptr;
  auto plain = std::make_unique<PlainPath>();
  for (uint32_t iteration = 0; iteration <= iterations; iteration++) {
    const bool isTail = iteration == iterations;
    for (uint32_t word = 0; word < (isTail ? loop.tailWords : path.wordCount); word++) {
      const WordSource source = path.words()[word];
      const int32_t delta = source.delta + static_cast<int32_t>(iteration) * loop.strides[word].delta;
      plain->words.push_back({{source.coded, delta}, plans_.shapes[loop.slots[word]]});
      if (plans_.timed) plain->before.push_back(plain->instructions + loop.before[word]);
    }
    for (uint32_t i = 0; i < (isTail ? loop.tailRecords : path.recordCount); i++) {
      const RecordPlan &plan = plans_.records[path.records()[i]];
      plain->instructions += plan.instructions;
      plain->addCall(plan);
      plain->records.push_back(path.records()[i]);
      plain->counts += {plan.segments(), plan.slotCount};
    }
  }
  plain->complete(plans_, joined);
  return loop.whole[iterations - 1] = addPlain(std::move(plain), path.number, words, path.codedWords);
}

/// Of its first records. Its coded words are all its words, and it has no prediction state.
Path *PathTable::iterationOf(const Items &items, const LoopShape &loop, uint32_t records, uint32_t words) {
  auto plain = std::make_unique<PlainPath>();
  for (uint32_t word = 0; word < words; word++) plain->words.push_back({{word, 0}, plans_.shapes[loop.slots[word]]});
  if (plans_.timed) plain->before.assign(loop.before.begin(), loop.before.begin() + words);
  plain->counts = {records, words};
  for (uint32_t i = 0; i < records; i++) {
    const RecordPlan &plan = plans_.records[items.records[i]];
    plain->instructions += plan.instructions;
    plain->addCall(plan);
    plain->records.push_back(items.records[i]);
  }
  plain->complete(plans_, joined);
  return addPlain(std::move(plain), items.number, words, words);
}

/// A path without prediction state.
Path *PathTable::addPlain(std::unique_ptr<PlainPath> plain, uint64_t number, uint32_t words, uint32_t codedWords) {
  plain->codedWords = codedWords;
  plain->number = number;
  plainPaths_.push_back(std::move(plain));
  iterations_.push_back(std::make_unique<Path>(Path{.number = number,
                                                    .recordCount = 0,
                                                    .wordCount = words,
                                                    .codedWords = codedWords,
                                                    .lengthCount = 0,
                                                    .stamped = false,
                                                    .plain = plainPaths_.back().get()}));
  iterations_.back()->keepQuietCall();
  return iterations_.back().get();
}

void Path::keepQuietCall() {
  if (!plain || plain->calls.size() != 1 || plain->calls[0].flags) return;
  function = plain->calls[0].function;
  call = plain->calls[0].call;
}

Path *PathTable::build(uint64_t number, const Items &items, const LoopShape *loop) {
  uint32_t coded = items.codedWords, wordCount = static_cast<uint32_t>(items.words.size()),
           recordCount = static_cast<uint32_t>(items.records.size());
  size_t bytes = sizeof(Path) + 2 * sizeof(uint64_t) * Path::padded(coded) +
                 sizeof(WordSource) * Path::padded(wordCount) +
                 sizeof(uint32_t) * (Path::padded(recordCount) + items.lengths.size());
  size_t size = (bytes + 7) / 8;
  if (size > static_cast<size_t>(freeEnd_ - free_)) {
    size_t block = std::max(size, std::min(FIRST_BLOCK_WORDS << std::min<size_t>(blocks_.size(), 16), BLOCK_WORDS));
    blocks_.push_back(std::make_unique<uint64_t[]>(block));
    free_ = blocks_.back().get();
    freeEnd_ = free_ + block;
  }
  Path *path = new (free_) Path{.number = number,
                                .recordCount = recordCount,
                                .wordCount = wordCount,
                                .codedWords = coded,
                                .lengthCount = static_cast<uint32_t>(items.lengths.size()),
                                .stamped = items.stamped,
                                .decoding = QuickWords::row(coded),
                                .loop = loop,
                                .plain = loop ? nullptr : plainOf(items)};
  path->keepQuietCall();
  free_ += size;
  std::copy(items.words.begin(), items.words.end(), path->words());
  std::copy(items.records.begin(), items.records.end(), path->records());
  std::copy(items.lengths.begin(), items.lengths.end(), path->lengths());
  maxRecords_ = std::max(maxRecords_, Path::padded(recordCount));
  maxWords_ = std::max(maxWords_, Path::padded(wordCount));
  if (++count_ * 2 > slots_.size()) {
    std::vector<Path *> old(slots_.size() * 2);
    old.swap(slots_);
    for (Path *each : old)
      if (each) insert(each);
  }
  insert(path);
  return path;
}

void PathTable::forgetPredictions() {
  for (Path *path : slots_) {
    if (!path) continue;
    path->base = 0;
    path->successor = path;
    std::fill_n(path->last(), 2 * size_t{Path::padded(path->codedWords)}, 0);
  }
}

void PathTable::insert(Path *path) {
  size_t at = hash(path->number);
  while (slots_[at & (slots_.size() - 1)]) at++;
  slots_[at & (slots_.size() - 1)] = path;
}

} // namespace dprof

// Stage: replay. Reads a machine's fields one by one. A value that this engine does not support raises an InputError
// that names the field.
#include "addon/machine_input.h"

#include <bit>

#include "base/trace_error.h"
#include "caches/replacement.h"

namespace dprof {

namespace {

class Fields {
public:
  Fields(Napi::Object object, std::string path) : object_(object), path_(std::move(path)) {}

  bool has(const char *name) const { return !object_.Get(name).IsUndefined() && !object_.Get(name).IsNull(); }
  Fields in(const char *name) const { return Fields(object_.Get(name).As<Napi::Object>(), path_ + name + "."); }
  double number(const char *name) const {
    Napi::Value value = object_.Get(name);
    if (!value.IsNumber()) throw InputError("machine: " + path_ + name + " must be a number");
    return value.As<Napi::Number>().DoubleValue();
  }
  uint32_t whole(const char *name, double least, double most) const {
    double value = number(name);
    if (!(value >= least && value <= most) || value != static_cast<double>(static_cast<uint64_t>(value)))
      throw InputError("machine: " + path_ + name + " must be a whole number from " +
                       std::to_string(static_cast<uint64_t>(least)) + " to " +
                       std::to_string(static_cast<uint64_t>(most)));
    return static_cast<uint32_t>(value);
  }
  /// As many cores as there are, or more, are one group.
  uint32_t coresPer(const char *name) const {
    double value = std::min(number(name), 65536.0);
    if (!(value >= 1) || value != static_cast<double>(static_cast<uint32_t>(value)))
      throw InputError("machine: at least one core for " + path_ + name);
    return static_cast<uint32_t>(value);
  }
  bool isSet(const char *name) const { return object_.Get(name).ToBoolean(); }
  template <typename Word> Word word(const char *name, std::initializer_list<const char *> words) const {
    return static_cast<Word>(find(name, object_.Get(name), words));
  }
  template <typename Word> std::vector<Word> words(const char *name, std::initializer_list<const char *> words) const {
    std::vector<Word> found;
    if (!object_.Get(name).IsArray()) throw InputError("machine: " + path_ + name + " must be a list");
    auto array = object_.Get(name).As<Napi::Array>();
    for (uint32_t i = 0; i < array.Length(); i++) found.push_back(static_cast<Word>(find(name, array.Get(i), words)));
    return found;
  }
  /// The word's place in the table of policies, once it is one for so many ways.
  uint8_t policy(uint32_t ways) const {
    std::array<const char *, POLICIES.size()> words;
    for (size_t i = 0; i < words.size(); i++) words[i] = POLICIES[i].word;
    uint8_t policy = find("policy", object_.Get("policy"), words);
    if (const char *refusal = POLICIES[policy].refusal(ways))
      throw InputError("machine: " + path_ + "ways of " + words[policy] + " " + refusal);
    return policy;
  }
  const std::string &path() const { return path_; }

private:
  template <typename Words> uint8_t find(const char *name, Napi::Value value, const Words &words) const {
    std::string text = value.ToString().Utf8Value();
    uint8_t number = 0;
    for (const char *word : words) {
      if (text == word) return number;
      number++;
    }
    throw InputError("machine: " + path_ + name + " '" + text + "' is not known");
  }
  Napi::Object object_;
  std::string path_;
};

constexpr double MOST_CYCLES = 1e9;
constexpr size_t MOST_PREFETCHERS = 7; // an outcome word counts so many

void readLevel(const Fields &fields, uint32_t lineBytes, LevelShape &shape, LevelOptions &options) {
  double bytes = fields.number("sizeBytes");
  uint32_t ways = fields.whole("ways", 1, 1 << 24);
  double sets = bytes / lineBytes / ways;
  if (!(sets >= 1 && sets * ways <= 1 << 28) || sets != static_cast<double>(static_cast<uint32_t>(sets)))
    throw InputError("machine: " + fields.path() + "sizeBytes must be a whole number of sets, and at most 2^28 lines");
  shape = {static_cast<uint32_t>(sets), ways, fields.whole("latencyCycles", 0, MOST_CYCLES)};
  options.inclusion = fields.word<Inclusion>("inclusion", {"non-inclusive", "inclusive", "exclusive"});
  options.prefetchers = fields.words<Prefetcher>("prefetchers", {"next-line", "adjacent-line", "stride"});
  if (options.prefetchers.size() > MOST_PREFETCHERS)
    throw InputError("machine: " + fields.path() + "prefetchers: too many");
  options.policy = fields.policy(ways);
}

TlbShape readTlb(const Fields &fields) {
  uint32_t entries = fields.whole("entries", 1, 1 << 20), ways = fields.whole("ways", 1, 1 << 20);
  if (entries % ways) throw InputError("machine: " + fields.path() + "entries must be a multiple of its ways");
  return {entries / ways, ways};
}

void checkGroups(const Machine &machine) {
  const std::pair<const char *, uint32_t> groups[] = {{"coresPerL1", machine.whole.coresPerL1},
                                                      {"coresPerL2", machine.whole.coresPerL2},
                                                      {"coresPerLlc", machine.coresPerLlc},
                                                      {"coresPerSocket", machine.whole.coresPerSocket}};
  for (unsigned i = 1; i < 4; i++)
    if (groups[i].second < machine.cores && groups[i].second % groups[i - 1].second)
      throw InputError(std::string("machine: ") + groups[i].first + " must be a multiple of " + groups[i - 1].first);
}

} // namespace

Machine readMachine(Napi::Object object) {
  Fields fields(object, "");
  Machine machine{};
  WholeOptions &whole = machine.whole;
  machine.cores = fields.whole("cores", 1, 64);
  uint32_t lineBytes = fields.whole("lineBytes", 8, 4096);
  if (!std::has_single_bit(lineBytes)) throw InputError("machine: lineBytes must be a power of two from 8 on");
  machine.lineShift = static_cast<uint32_t>(std::countr_zero(lineBytes));
  machine.coresPerLlc = fields.coresPer("coresPerLlc");
  whole.coresPerL1 = fields.coresPer("coresPerL1");
  whole.coresPerL2 = fields.coresPer("coresPerL2");
  whole.coresPerSocket = fields.coresPer("coresPerSocket");
  checkGroups(machine);
  const char *const names[3] = {"l1", "l2", "llc"};
  for (unsigned i = 0; i < 3; i++) readLevel(fields.in(names[i]), lineBytes, machine.level[i], whole.level[i]);
  machine.memoryLatency = fields.whole("memoryLatencyCycles", 0, MOST_CYCLES);
  machine.cacheToCacheLatency = fields.whole("cacheToCacheLatencyCycles", 0, MOST_CYCLES);
  machine.remoteMemoryLatency = fields.whole("remoteMemoryLatencyCycles", 0, MOST_CYCLES);
  machine.remoteCacheLatency = fields.whole("remoteCacheLatencyCycles", 0, MOST_CYCLES);
  whole.protocol = fields.word<Protocol>("protocol", {"mesi", "moesi", "mesif"});
  whole.colouring = fields.word<Colouring>("colouring", {"virtual", "first-touch", "random"});
  whole.seed = fields.whole("seed", 0, 0xffffffff);
  uint32_t pageBytes = fields.whole("pageBytes", 4096, 1 << 30);
  if (!std::has_single_bit(pageBytes)) throw InputError("machine: pageBytes must be a power of two");
  whole.pageShift = static_cast<uint32_t>(std::countr_zero(pageBytes));
  if (fields.has("tlb")) {
    Fields tlb = fields.in("tlb");
    whole.tlb[0] = readTlb(tlb.in("l1"));
    if (tlb.has("l2")) whole.tlb[1] = readTlb(tlb.in("l2"));
    whole.tlbLatency[0] = tlb.whole("l2LatencyCycles", 0, MOST_CYCLES);
    whole.tlbLatency[1] = tlb.whole("walkLatencyCycles", 0, MOST_CYCLES);
  }
  whole.plain = fields.isSet("isPlain");
  return machine;
}

} // namespace dprof

// Stage: placing -> trace. docs/trace-format.md, "Events of one thread".
#include "placing/step_encoder.h"

#include <algorithm>
#include <iterator>
#include <lz4.h>
#include <stdexcept>

#include "dprof/unit_format.h"

namespace dprof {

constexpr int HASTE = 8; // LZ4's acceleration: the file is read once

void WrittenColumn::pack(std::vector<uint8_t> &payload) const {
  const auto raw = static_cast<int>(size_);
  std::vector<char> packed(raw ? static_cast<size_t>(LZ4_compressBound(raw)) : 0);
  const int stored = raw ? LZ4_compress_fast(reinterpret_cast<const char *>(bytes_.data()), packed.data(), raw,
                                             static_cast<int>(packed.size()), HASTE)
                         : 0;
  putLittleEndian(payload, static_cast<uint32_t>(stored) + 4);
  putLittleEndian(payload, static_cast<uint32_t>(raw));
  payload.insert(payload.end(), packed.begin(), packed.begin() + stored);
}

void StepEncoder::event(const Event &event) {
  steps_++;
  control_.reserve(WrittenColumn::LONGEST_VARINT + 1);
  endRun();
  control_.byte(2);
  put(event);
}

void StepEncoder::step(uint32_t entry, const uint64_t *words, uint32_t count, const Event *stamp) {
  steps_++;
  const State *predicted = previous_ ? previous_->successor ? previous_->successor : previous_ : nullptr;
  const uint32_t predictedEntry = predicted ? predicted->entry : 0;
  const bool isPredicted = entry == predictedEntry;
  State &state = stateOf(entry, count);
  if (codes_.size() < count) codes_.resize(count * size_t{2});
  unsigned any = 0;
  for (uint32_t word = 0; word < count; word++) any |= codes_[word] = codeOf(state, words, word);
  if (isPredicted && any == 0)
    run_++;
  else
    explicitStep(state, predictedEntry, isPredicted, words, count);
  finish(state, words, count);
  if (stamp) put(*stamp);
}

StepEncoder::State &StepEncoder::stateOf(uint32_t entry, uint32_t count) {
  if (entry >= states_.size()) states_.resize(std::max<size_t>(entry + size_t{1}, states_.size() * 2));
  std::unique_ptr<State> &state = states_[entry];
  if (!state) state = std::make_unique<State>(entry, count);
  return *state;
}

/// The first that fits, in the order of the format.
StepEncoder::Code StepEncoder::codeOf(const State &state, const uint64_t *words, uint32_t word) const {
  const uint64_t last = state.last[word];
  if (words[word] == last + state.stride[word]) return STRIDE;
  if (words[word] == last) return SAME;
  const uint64_t linked = word == 0 ? base_ + state.link : last - state.last[word - 1] + words[word - 1];
  return words[word] == linked ? LINKED : LOGGED;
}

void StepEncoder::packCodes(uint32_t from, uint32_t count, unsigned shift) {
  unsigned packed = 0;
  for (uint32_t word = from; word < std::min(count, from + 4); word++) packed |= codes_[word] << (2 * (word - from));
  control_.byte(packed << shift);
}

void StepEncoder::explicitStep(const State &state, uint32_t predicted, bool isPredicted, const uint64_t *words,
                               uint32_t count) {
  control_.reserve(2 * WrittenColumn::LONGEST_VARINT + 1 + count);
  words_.reserve(count * WrittenColumn::LONGEST_VARINT);
  endRun();
  unsigned head = isPredicted ? 0 : 1;
  if (count <= 3)
    for (uint32_t word = 0; word < count; word++) head |= codes_[word] << (2 * word + 2);
  control_.byte(head);
  if (!isPredicted) control_.zigzag((uint64_t{state.entry} - predicted) * sizeof(dprof_region));
  if (count > 3)
    for (uint32_t word = 0; word < count; word += 4) packCodes(word, count, 0);
  for (uint32_t word = 0; word < count; word++)
    if (codes_[word] == LOGGED) words_.zigzag(words[word] - state.last[word]);
}

void StepEncoder::finish(State &state, const uint64_t *words, uint32_t count) {
  for (uint32_t word = 0; word < count; word++) {
    state.stride[word] = words[word] - state.last[word];
    state.last[word] = words[word];
  }
  if (count > 0) {
    state.link = words[0] - base_;
    base_ = words[count - 1];
  }
  if (previous_) previous_->successor = &state;
  previous_ = &state;
}

void StepEncoder::endRun() {
  control_.varint(run_);
  run_ = 0;
}

void StepEncoder::put(const Event &event) {
  entries_++;
  events_.reserve(8 * WrittenColumn::LONGEST_VARINT + (event.text ? event.text->size() : 0));
  events_.byte(event.code | event.detail << 4);
#define DPROF_PUT_STAMP(member)                                                                                        \
  events_.varint(event.member - stamp_);                                                                               \
  stamp_ = event.member
#define DPROF_PUT_ADDRESS(member)                                                                                      \
  events_.zigzag(event.member - addresses_[event.code]);                                                               \
  addresses_[event.code] = event.member
#define DPROF_PUT_NUMBER(member) events_.varint(event.member)
#define DPROF_PUT_POINTER(member) events_.varint(event.member)
#define DPROF_PUT_END(member) events_.varint(event.member)
#define DPROF_PUT_INDEX(member) events_.varint(event.member)
#define DPROF_PUT_UNIT(member) events_.varint(event.member)
#define DPROF_PUT_VARIABLE(member) events_.varint(event.member)
#define DPROF_PUT_TEXT(member)                                                                                         \
  events_.varint(event.member ? event.member->size() : 0);                                                             \
  if (event.member)                                                                                                    \
    for (char character : *event.member) events_.byte(static_cast<uint8_t>(character))
#define DPROF_PUT(encoding, name, when)                                                                                \
  if (hasField(when, event.detail)) {                                                                                  \
    DPROF_PUT_##encoding(name);                                                                                        \
  }
#define DPROF_PUT_CASE(name, code, fields)                                                                             \
  case DPROF_EVENT_##name: fields break;
  switch (event.code) { DPROF_EVENTS(DPROF_PUT_CASE, DPROF_PUT) }
}

void StepEncoder::takeChunk(std::vector<uint8_t> &payload) {
  control_.reserve(WrittenColumn::LONGEST_VARINT);
  if (run_ > 0) endRun();
  payload.clear();
  putLittleEndian(payload, steps_);
  putLittleEndian(payload, entries_);
  for (WrittenColumn *column : {&control_, &words_, &events_}) {
    column->pack(payload);
    column->clear();
  }
  steps_ = entries_ = 0;
  stamp_ = 0;
  std::fill(std::begin(addresses_), std::end(addresses_), 0);
}

} // namespace dprof

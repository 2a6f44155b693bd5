// Stage: collectors. One instruction changes a Moment; at branches both ways are followed, unless the result is
// compared with null: it is not null.
#include "result_flow.h"

#include <algorithm>

namespace dprof {
namespace {

// DWARF's numbers of x86-64.
constexpr int result_register = 0, stack_register = 7, base_register = 6, destination_register = 5, first_argument = 5,
              scratch_register = 11;
constexpr uint32_t callee_saved = 1u << 3 | 1u << 6 | 1u << 7 | 0xf000u;
constexpr uint32_t argument_registers = 1u << 5 | 1u << 4 | 1u << 1 | 1u << 2 | 1u << 8 | 1u << 9;
constexpr size_t most_moments = 1500, longest_way = 64, longest_store = 64;

bool is_of_result(const Value &value) { return value.kind == Value::result || value.kind == Value::derived; }

Value moved(Value value, int64_t by) {
  value.offset += by;
  if (value.kind == Value::zero && by != 0) return {};
  return value;
}

class Follower {
public:
  Follower(const CodeToFollow &code, ResultFlow *flow) : code_(code), flow_(*flow) {}

  void follow_paths(const Moment &begin) {
    waiting_ = {begin};
    while (!waiting_.empty()) {
      Moment moment = waiting_.back();
      waiting_.pop_back();
      if (!seen_.insert(moment).second) continue;
      if (seen_.size() > most_moments || !follow_path(moment)) return;
    }
    flow_.is_complete = true;
  }

  void follow_way(Moment moment) {
    while (flow_.way.size() < longest_way) {
      flow_.way.push_back(moment);
      const std::optional<Instruction> instruction =
          is_in_function(moment.address) ? instruction_at(moment.address) : std::nullopt;
      if (!instruction || instruction->kind == Instruction::leave_function) return;
      if (instruction->kind == Instruction::call) {
        flow_.called = instruction->target;
        return;
      }
      if (instruction->kind == Instruction::store && instruction->memory.base == no_register) {
        const Value value = moment.registers[instruction->from];
        if (value.kind == Value::result) flow_.globals[(uint64_t)instruction->memory.offset] = value.offset;
      }
      if (instruction->kind == Instruction::jump && !instruction->target) return;
      const std::optional<bool> is_taken = goes(*instruction, moment);
      const bool jumps = instruction->kind == Instruction::jump ||
                         (instruction->kind == Instruction::branch && is_taken.value_or(false));
      step(*instruction, &moment);
      if (jumps) moment.address = instruction->target;
    }
  }

private:
  // Paths meet again.
  const std::optional<Instruction> &instruction_at(uint64_t address) {
    const auto [found, is_new] = instructions_.try_emplace(address);
    const std::span<const uint8_t> code = is_new ? code_.code_at(address) : std::span<const uint8_t>();
    if (is_new)
      found->second = decode_instruction(address, code.data(), std::min<size_t>(code.size(), longest_instruction));
    return found->second;
  }
  bool is_in_function(uint64_t address) const { return !code_.code_at(address).empty(); }

  // False: it can not be followed.
  bool follow_path(Moment moment) {
    if (!is_in_function(moment.address)) return true; // behind a call that does not come back
    const std::optional<Instruction> instruction = instruction_at(moment.address);
    if (!instruction) return false;
    switch (instruction->kind) {
      case Instruction::leave_function: leave(moment.registers[result_register]); return true;
      case Instruction::jump:
        if (!instruction->target && !instruction->memory.is_known) return false;
        if (!instruction->target || !is_in_function(instruction->target)) {
          leave(code_.effect_of(*instruction) == CallEffect::returns_first_argument ? moment.registers[first_argument]
                                                                                    : Value{});
          return true;
        }
        moment.address = instruction->target;
        waiting_.push_back(moment);
        return true;
      case Instruction::branch: {
        const std::optional<bool> is_taken = goes(*instruction, moment);
        const uint64_t target = instruction->target;
        if (is_taken.value_or(true)) {
          if (!is_in_function(target)) flow_.returns_other = true;
          Moment there = moment;
          there.address = target;
          waiting_.push_back(there);
        }
        if (!is_taken.value_or(false)) {
          moment.address = instruction->next;
          waiting_.push_back(moment);
        }
        return true;
      }
      default:
        step(*instruction, &moment);
        waiting_.push_back(moment);
        return true;
    }
  }

  void leave(const Value &value) {
    if (value.kind == Value::result)
      flow_.returned.insert(value.offset);
    else if (value.kind != Value::zero)
      flow_.returns_other = true;
    flow_.keeps_derived |= value.kind == Value::derived;
  }

  // Whether the condition holds; none: unknown. Neither the result nor a pointer behind it is null.
  static std::optional<bool> goes(const Instruction &instruction, const Moment &moment) {
    if (instruction.condition == Instruction::whatever ||
        (moment.compared.kind != Value::result && moment.compared.kind != Value::zero))
      return {};
    return (instruction.condition == Instruction::equal) == (moment.compared.kind == Value::zero);
  }

  void keep(const Value &value) {
    if (value.kind == Value::result) flow_.kept.insert(value.offset);
    flow_.keeps_derived |= value.kind == Value::derived;
  }

  static void forget_slots(Moment *moment, int64_t from, int64_t to) {
    moment->slots.erase(moment->slots.lower_bound(from), moment->slots.lower_bound(to));
  }

  void write(const Memory &memory, const Value &value, int64_t bytes, Moment *moment) {
    const Value base = memory.base == no_register ? Value{} : moment->registers[memory.base];
    if (!memory.is_known || base.kind != Value::frame) return keep(value);
    const int64_t at = base.offset + memory.offset;
    forget_slots(moment, at - 7, at + bytes);
    if (value.kind != Value::other) moment->slots[at] = value;
    moment->frame_is_known_elsewhere |= value.kind == Value::frame;
  }

  static Value read(const Memory &memory, const Moment &moment) {
    return memory.base == no_register ? Value{} : moment.in_memory(memory.base, memory.offset);
  }

  static Memory at_stack(int64_t offset) { return {true, stack_register, offset}; }

  void step(const Instruction &instruction, Moment *moment) {
    Value *registers = moment->registers;
    const Value from = instruction.from == no_register ? Value{} : registers[instruction.from];
    const std::optional<bool> is_chosen = goes(instruction, *moment);
    moment->address = instruction.next;
    if (instruction.kind == Instruction::compare)
      moment->compared = instruction.from == no_register ? read(instruction.memory, *moment) : from;
    else if (instruction.writes_flags || instruction.kind == Instruction::call)
      moment->compared = {};
    switch (instruction.kind) {
      case Instruction::copy: registers[instruction.to] = from; return;
      case Instruction::add:
        if (instruction.to == no_register)
          write(instruction.memory, moved(read(instruction.memory, *moment), instruction.constant), 8, moment);
        else
          registers[instruction.to] = moved(from, instruction.constant);
        return;
      case Instruction::zero: registers[instruction.to] = {Value::zero, 0}; return;
      case Instruction::load: registers[instruction.to] = read(instruction.memory, *moment); return;
      case Instruction::store: write(instruction.memory, from, 8, moment); return;
      case Instruction::compare:
      case Instruction::jump:
      case Instruction::branch:
      case Instruction::leave_function: return;
      case Instruction::choose: {
        Value &to = registers[instruction.to];
        if (is_chosen ? *is_chosen : to == from)
          to = from;
        else if (!is_chosen)
          to = {is_of_result(to) || is_of_result(from) ? Value::derived : Value::other, 0};
        return;
      }
      case Instruction::push:
        registers[stack_register] = moved(registers[stack_register], -8);
        write(at_stack(0), from, 8, moment);
        return;
      case Instruction::pop:
        registers[instruction.to] = read(at_stack(0), *moment);
        registers[stack_register] = moved(registers[stack_register], 8);
        return;
      case Instruction::leave:
        registers[stack_register] = moved(registers[base_register], 8);
        registers[base_register] = {};
        return;
      case Instruction::call: pass_call(code_.effect_of(instruction), moment); return;
      case Instruction::other: break;
    }
    Value made = {};
    for (int i = 0; i < most_registers; i++) {
      if (!(instruction.reads >> i & 1)) continue;
      if (is_of_result(registers[i])) made = {Value::derived, 0};
      if (registers[i].kind == Value::frame && i != stack_register && i != base_register)
        moment->frame_is_known_elsewhere = true;
    }
    const bool is_string = instruction.writes_memory && !instruction.memory.is_known &&
                           registers[destination_register].kind == Value::frame;
    if (is_string) moment->slots.clear();
    if (instruction.writes_memory) write(instruction.memory, {}, longest_store, moment);
    if (!instruction.writes && !instruction.writes_flags)
      keep(made); // into other registers, and from there nobody knows
    for (int i = 0; i < most_registers; i++)
      if (instruction.writes >> i & 1) registers[i] = made;
  }

  static void pass_call(CallEffect effect, Moment *moment) {
    Value *registers = moment->registers;
    const Value returned = effect == CallEffect::returns_first_argument ? registers[first_argument] : Value{};
    if (effect != CallEffect::keeps_registers) {
      for (int i = 0; i < most_registers; i++)
        moment->frame_is_known_elsewhere |= (argument_registers >> i & 1) && registers[i].kind == Value::frame;
      if (moment->frame_is_known_elsewhere) moment->slots.clear();
      for (int i = 0; i < most_registers; i++)
        if (!(callee_saved >> i & 1)) registers[i] = {};
    }
    registers[result_register] = returned;
    registers[scratch_register] = {};
  }

  const CodeToFollow &code_;
  ResultFlow &flow_;
  std::vector<Moment> waiting_;
  std::set<Moment> seen_;
  std::map<uint64_t, std::optional<Instruction>> instructions_;
};

} // namespace

Value Moment::in_memory(int base, int64_t offset) const {
  if (registers[base].kind != Value::frame) return {};
  const auto found = slots.find(registers[base].offset + offset);
  return found == slots.end() ? Value{} : found->second;
}

ResultFlow follow_result(uint64_t return_address, const CodeToFollow &code, bool to_the_end) {
  Moment begin;
  begin.address = return_address;
  begin.registers[result_register] = {Value::result, 0};
  if (code.frame_register != no_register) begin.registers[code.frame_register] = {Value::frame, -code.frame_offset};
  ResultFlow flow;
  Follower follower(code, &flow);
  follower.follow_way(begin);
  if (to_the_end) follower.follow_paths(begin);
  return flow;
}

std::optional<int64_t> ResultFlow::returned_offset() const {
  if (!is_complete || returns_other || returned.size() != 1) return {};
  return *returned.begin();
}

std::optional<int64_t> ResultFlow::kept_offset() const {
  std::set<int64_t> all = kept;
  all.insert(returned.begin(), returned.end());
  if (!is_complete || keeps_derived || all.size() != 1) return {};
  return *all.begin();
}

} // namespace dprof

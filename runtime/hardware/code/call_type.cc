// Stage: collectors. What an allocation call allocates, and where in it. The first that says so:
//   1. an instrumented module: the SITE slot of its units at the call's line and column
//   2. a variable or parameter, a pointer to a struct, that holds the call's result before anything else is called
//   3. the object of a constructor that is inlined behind the call, or called next
//   4. a global variable that it is stored to
//   5. such a variable that holds a pointer behind it
//   6. what the function (the innermost inlined one) returns, if that is a pointer to a struct; if it is void *, the
//   call is in a wrapper
// A variable of 2 to 5 is none if the function returns what lies behind its struct: it is the header of an allocator.
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include <algorithm>

#include "debug_info.h"
#include "dwarf_types.h"

namespace dprof {
namespace {

constexpr int this_register = 5;        // rdi: the first argument
constexpr uint64_t most_code = 1 << 22; // of a function, in bytes

// The offsets of a frame's variables count from the canonical frame address (`reg` none), or from a register and
// `offset`.
struct FrameBase {
  int reg = no_register;
  int64_t offset = 0;
};

std::optional<FrameBase> frame_base(const std::vector<Dwarf_Die> &scopes) {
  for (auto scope = scopes.rbegin(); scope != scopes.rend(); scope++) {
    Dwarf_Die function = *scope;
    Dwarf_Attribute attribute;
    Dwarf_Op *operations;
    size_t count;
    if (dwarf_tag(&function) != DW_TAG_subprogram) continue;
    if (!dwarf_attr(&function, DW_AT_frame_base, &attribute) ||
        dwarf_getlocation(&attribute, &operations, &count) != 0 || count != 1)
      return {};
    const int atom = operations[0].atom;
    if (atom == DW_OP_call_frame_cfa) return FrameBase{};
    if (atom >= DW_OP_reg0 && atom < DW_OP_reg0 + most_registers) return FrameBase{atom - DW_OP_reg0, 0};
    if (atom >= DW_OP_breg0 && atom < DW_OP_breg0 + most_registers)
      return FrameBase{atom - DW_OP_breg0, (int64_t)operations[0].number};
    return {};
  }
  return {};
}

// The value of a variable at that location.
Value value_of(const Dwarf_Op *operations, size_t count, const Moment &moment, const std::optional<FrameBase> &frame) {
  const Dwarf_Op &first = operations[0];
  if (first.atom == DW_OP_regx && count == 1 && first.number < most_registers) return moment.registers[first.number];
  if (first.atom >= DW_OP_reg0 && first.atom < DW_OP_reg0 + most_registers && count == 1)
    return moment.registers[first.atom - DW_OP_reg0];
  if (first.atom == DW_OP_fbreg && count == 1 && frame) {
    if (frame->reg != no_register) return moment.in_memory(frame->reg, frame->offset + (int64_t)first.number);
    const auto slot = moment.slots.find((int64_t)first.number);
    return slot == moment.slots.end() ? Value{} : slot->second;
  }
  if (first.atom < DW_OP_breg0 || first.atom >= DW_OP_breg0 + most_registers) return {};
  const int base = first.atom - DW_OP_breg0;
  if (count == 1) return moment.in_memory(base, (int64_t)first.number);
  const Value held = moment.registers[base];
  if (count != 2 || operations[1].atom != DW_OP_stack_value || held.kind != Value::result) return {};
  return {Value::result, held.offset + (int64_t)first.number};
}

Value value_of(Dwarf_Die *variable, const Moment &moment, const std::optional<FrameBase> &frame) {
  Dwarf_Attribute attribute;
  Dwarf_Op *operations;
  size_t count;
  if (!dwarf_attr(variable, DW_AT_location, &attribute) ||
      dwarf_getlocation_addr(&attribute, moment.address, &operations, &count, 1) != 1 || count < 1)
    return {};
  return value_of(operations, count, moment, frame);
}

// A function, inlined or not, that returns a pointer to a struct or to anything.
bool returns_memory(const Dwarf_Die &scope) {
  Dwarf_Die function = scope, found, type;
  return is_function(&function) && type_of(&function, &found) &&
         (is_void_pointer(&found) || points_to_record(&found, &type));
}

// A constructor, inlined or not: the parameter that is its object, and the class.
bool is_constructor(Dwarf_Die function, Dwarf_Die *object, Dwarf_Die *type) {
  Dwarf_Die found, record;
  if (dwarf_child(&function, object) != 0 || dwarf_tag(object) != DW_TAG_formal_parameter) return false;
  if (!type_of(object, &found) || !points_to_record(&found, type) || !peel_type(type, &record)) return false;
  const char *name = dwarf_diename(&function), *of = dwarf_diename(&record);
  return name && of && std::string(of).compare(0, strlen(name), name) == 0;
}

// Scopes in the order of how much they know of a call's allocation. First come those around the call, from the inside.
// Then come those inlined behind it, from the outside; they may take the allocation for less than it is. Scopes within
// a constructor are those of bases and members: they are left out.
struct NearScopes {
  std::vector<Dwarf_Die> scopes;
  std::optional<Dwarf_Die> constructor; // behind the call
};

NearScopes near_scopes(const std::vector<Dwarf_Die> &of_call, const std::vector<Dwarf_Die> &now) {
  NearScopes near;
  size_t both = 0;
  while (both < of_call.size() && both < now.size() && of_call[both].addr == now[both].addr) both++;
  near.scopes.assign(now.rend() - (ptrdiff_t)both, now.rend());
  for (size_t at = both; at < now.size() && !near.constructor; at++) {
    Dwarf_Die object, type;
    near.scopes.push_back(now[at]);
    if (dwarf_tag(&near.scopes.back()) == DW_TAG_inlined_subroutine && is_constructor(now[at], &object, &type))
      near.constructor = now[at];
  }
  return near;
}

} // namespace

size_t DebugInfo::read_code(uint64_t address, uint8_t *to, size_t bytes) const {
  const iovec here = {to, bytes}, there = {(void *)address, bytes};
  const ssize_t got = process_vm_readv(process_, &here, 1, &there, 1, 0);
  return got > 0 ? (size_t)got : 0;
}

// For a call through a table, or through a stub that jumps to the address in a table.
CallEffect DebugInfo::effect_of(Dwfl_Module *module, const Instruction &call) {
  GElf_Addr bias = 0, file_bias = 0;
  dwfl_module_getdwarf(module, &bias);
  if (!dwfl_module_getelf(module, &file_bias)) return CallEffect::unknown;
  std::optional<Instruction> jump = call;
  uint64_t stub = call.target;
  while (stub) { // a marker of where calls may go, perhaps; then the jump
    uint8_t bytes[longest_instruction];
    jump = decode_instruction(stub, bytes, read_code(stub + bias, bytes, sizeof bytes));
    const bool is_marker = jump && jump->kind == Instruction::other && !jump->writes && stub == call.target;
    if (!jump || (jump->kind != Instruction::jump && !is_marker)) return CallEffect::unknown;
    stub = is_marker ? jump->next : 0;
  }
  if (!jump->memory.is_known || jump->memory.base != no_register) return CallEffect::unknown;
  const auto found = info(module).effects.find((uint64_t)jump->memory.offset + bias - file_bias);
  return found == info(module).effects.end() ? CallEffect::unknown : found->second;
}

CodeToFollow DebugInfo::code_of(Dwfl_Module *module, uint64_t address, Chain *chain) {
  Dwarf_Addr bias = 0, frame_bias = 0, base, begin, end;
  dwfl_module_getdwarf(module, &bias);
  std::map<uint64_t, std::vector<uint8_t>> parts; // of the function, by their beginnings
  for (ptrdiff_t at = 0; (at = dwarf_ranges(&chain->scopes.front(), at, &base, &begin, &end)) > 0;) {
    if (end < begin || end - begin > most_code) continue;
    std::vector<uint8_t> part(end - begin);
    part.resize(read_code(begin + bias, part.data(), part.size()));
    parts[begin] = part;
  }
  CodeToFollow code;
  code.code_at = [parts](uint64_t at) -> std::span<const uint8_t> {
    auto part = parts.upper_bound(at);
    if (part == parts.begin() || at - (--part)->first >= part->second.size()) return {};
    return std::span<const uint8_t>(part->second).subspan(at - part->first);
  };
  code.effect_of = [this, module](const Instruction &call) { return effect_of(module, call); };
  Dwarf_CFI *rules = dwfl_module_eh_cfi(module, &frame_bias);
  Dwarf_Frame *frame = nullptr;
  Dwarf_Op *operations;
  size_t count;
  if (rules && dwarf_cfi_addrframe(rules, address + bias - frame_bias, &frame) == 0) {
    const bool is_register = dwarf_frame_cfa(frame, &operations, &count) == 0 && count == 1 &&
                             operations[0].atom == DW_OP_bregx && operations[0].number < most_registers;
    if (is_register) {
      code.frame_register = (int)operations[0].number;
      code.frame_offset = (int64_t)operations[0].number2;
    }
    free(frame);
  }
  return code;
}

std::optional<DebugInfo::Found> DebugInfo::find_variable(const Chain &function, const ResultFlow &flow, bool behind) {
  for (const Moment &moment : flow.way) {
    Chain chain = chain_within(function, moment.address);
    const std::optional<FrameBase> frame = frame_base(chain.scopes);
    for (Dwarf_Die &scope : near_scopes(function.scopes, chain.scopes).scopes) {
      Dwarf_Die child, declared, type;
      if (dwarf_child(&scope, &child) != 0) continue;
      do {
        const int tag = dwarf_tag(&child);
        if (tag != DW_TAG_variable && tag != DW_TAG_formal_parameter) continue;
        const Value value = value_of(&child, moment, frame);
        if (value.kind == Value::result && (value.offset != 0) == behind && type_of(&child, &declared) &&
            points_to_record(&declared, &type))
          return Found{type, value.offset};
      } while (dwarf_siblingof(&child, &child) == 0);
    }
  }
  return {};
}

// `new T(...)`: the first use of the memory is the construction of a T in it; for an array, behind its cookie.
std::optional<DebugInfo::Found> DebugInfo::find_constructed(Dwfl_Module *module, const Chain &function,
                                                            const ResultFlow &flow) {
  Dwarf_Die object, type;
  for (const Moment &moment : flow.way) {
    Chain inner = chain_within(function, moment.address);
    const std::optional<Dwarf_Die> constructor = near_scopes(function.scopes, inner.scopes).constructor;
    if (!constructor || !is_constructor(*constructor, &object, &type)) continue;
    const Value value = value_of(&object, moment, frame_base(inner.scopes));
    return Found{type, value.kind == Value::result ? value.offset : unknown_offset};
  }
  Chain called;
  if (!flow.called || !find_chain(module, flow.called, &called) ||
      dwarf_tag(&called.scopes.back()) != DW_TAG_subprogram || !is_constructor(called.scopes.front(), &object, &type))
    return {};
  const Value value = flow.way.back().registers[this_register];
  return value.kind == Value::result ? std::optional<Found>(Found{type, value.offset}) : std::nullopt;
}

std::optional<DebugInfo::Found> DebugInfo::find_global(Dwfl_Module *module, const ResultFlow &flow) {
  Dwarf_Die unit, child, declared, type;
  if (flow.globals.empty() || !find_unit(module, flow.way.front().address - 1, &unit) ||
      dwarf_child(&unit, &child) != 0)
    return {};
  do {
    Dwarf_Attribute attribute;
    Dwarf_Op *operations;
    size_t count;
    if (dwarf_tag(&child) != DW_TAG_variable || !dwarf_attr(&child, DW_AT_location, &attribute) ||
        dwarf_getlocation(&attribute, &operations, &count) != 0 || count != 1)
      continue;
    Dwarf_Addr at = operations[0].number;
    Dwarf_Attribute indirect;
    if (operations[0].atom == DW_OP_addrx &&
        (dwarf_getlocation_attr(&attribute, operations, &indirect) != 0 || dwarf_formaddr(&indirect, &at) != 0))
      continue;
    const auto set = operations[0].atom == DW_OP_addr || operations[0].atom == DW_OP_addrx ? flow.globals.find(at)
                                                                                           : flow.globals.end();
    if (set != flow.globals.end() && type_of(&child, &declared) && points_to_record(&declared, &type))
      return Found{type, set->second};
  } while (dwarf_siblingof(&child, &child) == 0);
  return {};
}

// Nobody knows where an inlined function ends, so its result is the one pointer that outlives the function around it,
// if there is only one. A function that returns something else may set its caller's variable: then the caller hands out
// the pointer that the code was followed to return.
CallType DebugInfo::type_of_function(const Chain &chain, const ResultFlow &flow) {
  CallType answer;
  bool is_followed = false;
  for (auto scope = chain.scopes.rbegin(); scope != chain.scopes.rend(); scope++) {
    Dwarf_Die function = *scope, found, type;
    if (!is_function(&function)) continue;
    const bool is_inlined = dwarf_tag(&function) == DW_TAG_inlined_subroutine, has_type = type_of(&function, &found),
               is_untyped = has_type && is_void_pointer(&found);
    const bool is_typed = has_type && points_to_record(&found, &type);
    is_followed |= !is_untyped && !is_typed;
    if (is_inlined && !(is_typed && !is_followed)) continue; // its caller is here too
    if (is_followed && !flow.returned_offset()) return answer;
    answer.is_wrapper = is_untyped;
    if (is_typed) answer.layout = layout_of(&type);
    answer.offset = (is_inlined ? flow.kept_offset() : flow.returned_offset()).value_or(unknown_offset);
    return answer;
  }
  return answer;
}

CallType DebugInfo::find_call_type(uint64_t return_address) {
  CallType answer;
  Dwfl_Module *module = module_at(return_address - 1);
  if (!module || is_c_library(module)) return answer;
  Place call = place(return_address - 1);
  const UnitSites &sites = *info(module).sites;
  if (const UnitSites::Site *site = sites.find(call.file, call.line, call.column, call.linkage_name)) {
    answer.layout = site->layout;
    answer.offset = (int64_t)site->offset;
    answer.is_array = site->is_array || site->offset > 0;
    return answer;
  }
  Dwarf_Addr bias = 0;
  Chain chain;
  if (!dwfl_module_getdwarf(module, &bias) || !find_chain(module, return_address - 1 - bias, &chain)) return answer;
  const bool hands_out = std::any_of(chain.scopes.begin(), chain.scopes.end(), returns_memory);
  const ResultFlow flow =
      follow_result(return_address - bias, code_of(module, return_address - bias, &chain), hands_out);
  std::optional<Found> found = find_variable(chain, flow, false);
  const bool is_constructed = !found && (found = find_constructed(module, chain, flow));
  if (!found) found = find_global(module, flow);
  if (!found) found = find_variable(chain, flow, true);
  CallType returned = type_of_function(chain, flow);
  if (!found) return returned;
  answer.layout = layout_of(&found->type);
  answer.offset = found->offset;
  answer.is_array = is_constructed && found->offset > 0; // behind its cookie
  const bool is_typed = returned.is_wrapper || !returned.layout.name.empty();
  const bool is_header = is_typed && returned.offset != unknown_offset && answer.offset != unknown_offset &&
                         returned.offset >= answer.offset + (int64_t)answer.layout.bytes && returned.offset > 0;
  return is_header ? returned : answer;
}

CallType DebugInfo::type_at_call(uint64_t return_address, uint64_t bytes) {
  CallType answer = find_call_type(return_address);
  if (answer.layout.bytes > bytes) answer.layout = {};
  return answer;
}

} // namespace dprof

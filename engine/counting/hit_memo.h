// Stage: replay. Where a slot's last plain hits counted. Most hits of a slot meet the object that its hit before met,
// and most of these the line too. The first count where that one did; for the second nothing is looked up at all.
//
// Exact because: what a hit counts to depends on its slot, on the object that it lies in, and on that object's type. A
// memo of an object holds for one life of it with one type, and only if the type does not ask for the offset. A memo
// of bytes holds while the version of their line (Objects) stays: no object in it began, ended, or changed its type.
#pragma once

#include "flow/life.h"
#include "objects/objects.h"

namespace dprof {

struct alignas(64) HitMemo {
  // Bytes of one line that belong to the object.
  uint64_t first = 0;              // address
  uint32_t length = 0;             // 0: none
  uint32_t line = 0, version = 0;  // without bytes: the line of the slot's last hit
  uint32_t size = 0;               // of an access
  uint32_t live = 0;               // the number of the object of the slot's last hit
  uint32_t life = 0, declared = 0; // of the object
  uint64_t *count = nullptr;       // of the object's references or votes; null: its pending counts
  uint64_t *row = nullptr;         // the slot's plain hits that are not in their row yet; null: `live` alone is known
  StepKey stepKey = 0;             // if the flow is wanted
  uint8_t loaded = 0;              // as SlotRows::State has it

  bool holds(uint64_t address) const { return address - first < length; }
  bool isOf(uint32_t number, const LiveObject &object) const {
    return number == live && row && static_cast<uint32_t>(object.lifeSequence) == life && object.declared == declared;
  }
  void forgetTarget() {
    length = 0;
    row = nullptr;
  }
};
static_assert(sizeof(HitMemo) == 64);

} // namespace dprof

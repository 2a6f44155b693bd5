// Stage: sampler. The effect of each kind of event on the objects.
#include "heap.h"

#include <algorithm>
#include <optional>

#include "../../code/debug_info.h"

namespace dprof {

LiveObject *Heap::find(uint64_t address) {
  const uint32_t number = objects_.find(address);
  return number == no_object ? nullptr : &objects_.at(number);
}

void Heap::end(uint32_t number, uint64_t time_ns, uint32_t place) {
  LiveObject &object = objects_.at(number);
  types_.end(object, time_ns, place);
  const Sharing::Found found = sharing_.end(object);
  Lives &lives = types_.at(object.type).lives;
  lives.bounced += found.is_bounced;
  lives.write_shared += found.is_write_shared;
  objects_.remove(number);
}

void Heap::begin(const HeapEvent &event, Layer layer, const Site *site) {
  found_.clear();
  objects_.find_overlapped(layer, event.address, event.bytes, &found_);
  for (uint32_t number : found_) {
    overlaps++;
    end(number, event.time_ns, 0);
  }
  LiveObject object;
  object.address = event.address;
  object.bytes = event.bytes;
  object.born_ns = event.time_ns;
  object.thread = event.thread;
  object.cpu = event.cpu;
  object.layer = layer;
  const int64_t offset =
      site && !site->layout.name.empty()
          ? place_in_allocation(event.offset == DPROF_SAMPLER_OFFSET_UNKNOWN ? unknown_offset : event.offset,
                                site->layout.bytes, event.bytes)
          : not_in_place;
  object.offset = offset == not_in_place ? 0 : (uint16_t)offset;
  object.type = offset == not_in_place ? types_.of_site(site ? site->function : "", event.bytes) : site->type;
  types_.begin(&object, site ? site->place : 0);
  objects_.add(object);
}

// The pages that go back may be a part of a mapping, or several mappings.
void Heap::end_range(const HeapEvent &event, uint32_t place) {
  found_.clear();
  objects_.find_overlapped(Layer::mapping, event.address, event.bytes, &found_);
  std::vector<LiveObject> &freed = last_freed(event.thread);
  freed.clear();
  const uint64_t begin = event.address, past = event.address + event.bytes;
  for (uint32_t number : found_) {
    LiveObject object = objects_.at(number);
    if (object.address >= begin && object.address + object.bytes <= past) {
      freed.push_back(object);
      end(number, event.time_ns, place);
      continue;
    }
    // Some of the mapping stays: its first remaining part is the object from now on; the rest is forgotten.
    const uint64_t old_bytes = object.bytes;
    objects_.remove(number);
    if (object.address < begin)
      object.bytes = begin - object.address;
    else {
      object.bytes -= past - object.address;
      object.address = past;
    }
    types_.at(object.type).lives.go_on_to(event.time_ns);
    types_.at(object.type).lives.bytes -= old_bytes - object.bytes;
    objects_.add(object);
  }
}

std::vector<LiveObject> &Heap::last_freed(uint32_t thread) {
  if (!last_list_ || last_thread_ != thread) {
    last_list_ = &last_freed_[thread];
    last_thread_ = thread;
  }
  return *last_list_;
}

void Heap::revive(const HeapEvent &event) {
  std::vector<LiveObject> &freed = last_freed(event.thread);
  for (LiveObject &object : freed) {
    if (event.address < object.address || event.address >= object.address + std::max<uint64_t>(object.bytes, 1))
      continue;
    Lives &lives = types_.at(object.type).lives;
    lives.go_on_to(event.time_ns);
    lives.frees--;
    lives.objects++;
    lives.bytes += object.bytes;
    if (object.samples) lives.sampled--;
    object.sharing = 0;
    objects_.add(object);
  }
  freed.clear();
}

void Heap::apply(const HeapEvent &event, const Site *site) {
  const uint32_t place = site ? site->place : 0;
  switch (event.kind) {
    case DPROF_SAMPLER_ALLOCATE: return begin(event, Layer::heap, site);
    case DPROF_SAMPLER_PART: return begin(event, Layer::part, site);
    case DPROF_SAMPLER_MAP: return begin(event, Layer::mapping, site);
    case DPROF_SAMPLER_UNMAP: return end_range(event, place);
    case DPROF_SAMPLER_KEPT: return revive(event);
    case DPROF_SAMPLER_FREE:
    case DPROF_SAMPLER_FREE_PART: {
      const uint32_t number =
          objects_.starting_at(event.kind == DPROF_SAMPLER_FREE ? Layer::heap : Layer::part, event.address);
      if (number == no_object) {
        unknown_frees++;
        return;
      }
      last_freed(event.thread).assign(1, objects_.at(number));
      return end(number, event.time_ns, place);
    }
    case DPROF_SAMPLER_END_THREAD:
      last_freed_.erase(event.thread);
      last_list_ = nullptr;
      return;
    default: return;
  }
}

void Heap::add_sample(LiveObject *object, uint64_t address, uint32_t cpu, bool is_store) {
  object->samples++;
  sharing_.add(object, address, cpu, is_store);
}

void Heap::end_all(uint64_t time_ns) {
  for (uint32_t number : objects_.numbers()) end(number, time_ns, 0);
  objects_.clear();
  last_freed_.clear();
  last_list_ = nullptr;
}

} // namespace dprof

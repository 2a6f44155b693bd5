// Stage: recorder. Which module, unit and region a header word points into; its path is read when it is first seen.
#include "path_table.h"

#include <algorithm>

#include "path_loop.h"
#include "path_reader.h"
#include "unit_view.h"

namespace dprof {
namespace {

constexpr uint32_t most_places = 1 << 30;  // every thread's states have to fit into memory
constexpr uint32_t most_regions = 1 << 26; // 32 paths each: numbers of paths have 32 bits

} // namespace

PathTable::PathTable() : paths_(1), index_of_place_(PathState::bytes(0) / place_step) {}
PathTable::~PathTable() = default;

bool PathTable::add_module(std::shared_ptr<const uint8_t> shared, size_t size, uint64_t address) {
  const uint8_t *bytes = shared.get();
  auto module = std::make_unique<Module>();
  uint32_t unit_count = unit_count_, region_count = region_count_;
  for (size_t at = 0; at + 16 <= size;) {
    uint32_t magic;
    memcpy(&magic, bytes + at, sizeof magic);
    if (magic == 0) { // the linker's padding
      at += 16;
      continue;
    }
    if (!UnitView::plausible(bytes + at, size - at)) return false;
    dprof_unit_header header = UnitView(bytes + at).header();
    if (header.regions_count > most_regions - region_count) return false;
    module->units.push_back({address + at, at, region_count, unit_count++});
    region_count += header.regions_count;
    at += header.size_bytes;
  }
  module->begin = address;
  module->bytes = std::move(shared);
  module->size = size;
  module->places.grow(size);
  remove({address, address + size});
  modules_.push_back(std::move(module));
  unit_count_ = unit_count;
  region_count_ = region_count;
  return true;
}

void PathTable::remove(AddressRange range) {
  std::erase_if(modules_, [&](auto &other) {
    AddressRange own = {other->begin, other->begin + other->size};
    bool gone = own.begin < range.end && range.begin < own.end;
    if (gone) replaced_.push_back(own);
    return gone;
  });
}

const PathTable::Module *PathTable::module_at(uint64_t address) const {
  for (auto &module : modules_)
    if (address - module->begin < module->size) return module.get();
  return nullptr;
}

const PathTable::Unit *PathTable::unit_at(const Module &module, uint64_t address) {
  auto after = std::upper_bound(module.units.begin(), module.units.end(), address,
                                [](uint64_t a, const Unit &unit) { return a < unit.begin; });
  return after == module.units.begin() ? nullptr : &after[-1];
}

const PathPlace *PathTable::places_at(uint64_t header, uint64_t *begin, uint64_t *bytes) const {
  const Module *module = module_at(header);
  if (!module) return nullptr;
  *begin = module->begin;
  *bytes = module->size;
  return module->places.data();
}

PathPlace PathTable::known(uint64_t header) const {
  const Module *module = module_at(header);
  return module ? module->places[header - module->begin] : 0;
}

PathPlace PathTable::find(uint64_t header) {
  const Module *module = module_at(header);
  if (!module) return 0;
  PathPlace &place = module->places[header - module->begin];
  const Unit *unit = place ? nullptr : unit_at(*module, header);
  if (unit) place = add_path(*module, *unit, header - unit->begin);
  return place;
}

PathPlace PathTable::add_path(const Module &module, const Unit &unit, uint64_t offset) {
  UnitView view(module.bytes.get() + unit.offset);
  const dprof_unit_header &header = view.header();
  uint64_t inside = offset - header.regions_offset;
  if (offset < header.regions_offset || inside >= (uint64_t)header.regions_count * sizeof(dprof_region)) return 0;
  uint32_t entry = (uint32_t)(inside / sizeof(dprof_region)), own = entry;
  dprof_region region = view.region(entry);
  if (region.path_count == 0) {
    if (region.back > entry) return 0;
    own -= region.back;
  }
  PathShape shape;
  if (!read_path(view, own, (uint32_t)(inside - (uint64_t)own * sizeof(dprof_region)), &shape)) return 0;
  uint32_t coded = (uint32_t)shape.coded.size(), place = end_of_places();
  if (PathState::bytes(coded) > most_places - place) return 0;
  PathInfo path = {};
  path.place = place;
  path.number = unit.first_region * (uint32_t)sizeof(dprof_region) + (uint32_t)inside;
  path.words = shape.words;
  path.coded_words = coded;
  path.first_position = no_positions;
  path.segments = shape.segments;
  path.stamp_event = shape.stamp_event;
  path.atomic_word = shape.atomic_word;
  path.atomic_delta = shape.atomic_delta;
  if (shape.words != coded + (shape.stamp_event != 0)) {
    path.first_position = (uint32_t)positions_.size();
    positions_.insert(positions_.end(), shape.coded.begin(), shape.coded.end());
  }
  index_of_place_.resize((place + PathState::bytes(coded)) / place_step, (uint32_t)paths_.size());
  paths_.push_back(path);
  return place;
}

bool PathTable::find_source(uint64_t header, PathSource *source) const {
  const Module *module = module_at(header);
  const Unit *unit = module ? unit_at(*module, header) : nullptr;
  if (!unit) return false;
  UnitView view(module->bytes.get() + unit->offset);
  uint64_t inside = header - unit->begin - view.header().regions_offset;
  if (header - unit->begin < view.header().regions_offset ||
      inside >= (uint64_t)view.header().regions_count * sizeof(dprof_region))
    return false;
  uint32_t entry = (uint32_t)(inside / sizeof(dprof_region));
  dprof_region region = view.region(entry);
  if (region.path_count == 0 && region.back > entry) return false;
  if (region.path_count == 0) entry -= region.back;
  *source = {module->bytes.get() + unit->offset, unit->number, entry,
             (uint32_t)(inside - (uint64_t)entry * sizeof(dprof_region))};
  return true;
}

bool PathTable::find_variable(uint64_t address, VariableName *name) const {
  const Module *module = module_at(address);
  const Unit *unit = module ? unit_at(*module, address) : nullptr;
  if (!unit) return false;
  dprof_unit_header header = UnitView(module->bytes.get() + unit->offset).header();
  uint64_t offset = address - unit->begin - header.variables_offset;
  if (offset % sizeof(dprof_variable) || offset / sizeof(dprof_variable) >= header.variables_count) return false;
  *name = {unit->number, (uint32_t)(offset / sizeof(dprof_variable))};
  return true;
}

} // namespace dprof

// Stage: runtime. Registration: linker-made tables of each instrumented object -> a file of the session per module.
#include "modules.h"

#include "interpose.h"
#include "loaded_object.h"
#include "memory.h"
#include "musl.h"
#include "session.h"
#include "thread_log.h"
#include "windows.h"

namespace dprof {
namespace {

struct Registered {
  dprof_module module;
  uint64_t checksum; // of the units: a library opened again at the same address is the same module
  bool loaded;
  bool published;
  bool for_child; // published for the child that is being forked
  bool replaced;  // another module was published for its addresses
  bool came_late; // it did not come with the program, and may go before it

  bool is_where(const dprof_module &other) const {
    return module.units_begin < other.units_end && other.units_begin < module.units_end;
  }
};

constexpr unsigned most_modules = 1024;
Registered modules[most_modules];
unsigned module_count = 0;
uint32_t module_lock = 0;

uint64_t checksum_of(const dprof_module &module) {
  uint64_t sum = 0;
  const uint64_t *end = (const uint64_t *)module.units_end;
  for (const uint64_t *p = (const uint64_t *)module.units_begin; p < end; p++)
    sum = (sum ^ *p) * 0x9e3779b97f4a7c15 + (sum >> 29);
  return sum;
}

// Asking for the address of a thread-local of a library that came by dlopen would allocate it, from the program's heap.
struct StorageQuery {
  uintptr_t inside;
  bool allocated;
};

int find_thread_storage(dl_phdr_info *info, size_t, void *data) {
  StorageQuery *query = (StorageQuery *)data;
  if (!segment_around(*info, query->inside)) return 0;
  query->allocated = info->dlpi_tls_data != nullptr;
  return 1;
}

void log_thread_local(const dprof_variable *variable, void *address) {
  log_words<false>(DPROF_EVENT_THREAD_LOCAL, 0, (uintptr_t)variable, (uintptr_t)address);
}

int count_loads(dl_phdr_info *info, size_t, void *count) {
  *(unsigned long long *)count = info->dlpi_adds;
  return 1;
}

unsigned long long loads() {
  unsigned long long count = 0;
  dl_iterate_phdr(count_loads, &count);
  return count;
}
unsigned long long loads_at_start = 0;

// The memory that a loaded object takes, from its first page to its last.
struct MappedExtent {
  uintptr_t inside, begin, end;
};

int find_extent(dl_phdr_info *info, size_t, void *data) {
  MappedExtent *extent = (MappedExtent *)data;
  if (!segment_around(*info, extent->inside)) return 0;
  extent->begin = ~(uintptr_t)0;
  for (unsigned i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) &segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    const uintptr_t begin = info->dlpi_addr + segment.p_vaddr, end = begin + segment.p_memsz;
    if (begin < extent->begin) extent->begin = begin;
    if (end > extent->end) extent->end = end;
  }
  return 1;
}

// Waits until the recorder has read all that was logged while others were where this module is now.
void settle_replaced(const dprof_module &module) {
  bool is_new_there = true;
  for (unsigned i = 0; i < module_count; i++) {
    if (modules[i].loaded || !modules[i].published || !modules[i].is_where(module)) continue;
    modules[i].replaced = true;
    is_new_there = false;
  }
  if (is_new_there) return;
  dprof_session_process *process = session.process;
  process->replaced_begin = (uintptr_t)module.units_begin;
  process->replaced_end = (uintptr_t)module.units_end;
  store(&process->replacing, 1u);
  while (load(&process->replacing) == 1 && recorder_is_there()) {
    wake_recorder();
    futex_wait(&process->replacing, 1, 20);
  }
}

// Globals of a module that the program starts with are there from the beginning.
void announce_globals(const dprof_module &module) {
  for (const dprof_global *global = module.globals_begin; global < module.globals_end; global++)
    if (global->address)
      log_words<false>(DPROF_EVENT_THREAD_LOCAL, 0, (uintptr_t)global->variable, (uintptr_t)global->address);
}

void announce(const dprof_module &module) {
  if (module.thread_locals_begin == module.thread_locals_end) return;
  StorageQuery query = {(uintptr_t)module.units_begin, false};
  {
    Silenced silenced;
    dl_iterate_phdr(find_thread_storage, &query);
  }
  if (!query.allocated) return;
  for (auto visit_all = module.thread_locals_begin; visit_all < module.thread_locals_end; visit_all++)
    (*visit_all)(log_thread_local);
}

} // namespace

void announce_thread_locals() {
  unsigned count = load(&module_count);
  for (unsigned i = 0; i < count; i++)
    if (load(&modules[i].loaded) && modules[i].published) announce(modules[i].module);
}

uint32_t publish_modules_for_child(uint32_t image) {
  take_lock(&module_lock);
  uint32_t published = 0;
  for (unsigned i = 0; i < module_count; i++) {
    modules[i].for_child =
        modules[i].loaded && modules[i].published && publish_module(&modules[i].module, image, published, true);
    published += modules[i].for_child;
  }
  return published;
}

void child_is_forked(bool in_child) {
  for (unsigned i = 0; i < module_count && in_child; i++) modules[i].published = modules[i].for_child;
  give_lock(&module_lock);
}

void count_modules_at_start() { loads_at_start = loads(); }

void set_modules_active(bool active) {
  for (unsigned i = 0; i < module_count; i++)
    if (modules[i].loaded && modules[i].module.active) *modules[i].module.active = active;
}

} // namespace dprof

using namespace dprof;

extern "C" {

__attribute__((visibility("default"))) void __dprof_register_module_v1(const dprof_module *module) {
  if (!recording || module->units_begin == module->units_end) return;
  ErrnoKept kept;
  bool published = false, is_late = false;
  {
    Locked locked(module_lock);
    uint64_t checksum = checksum_of(*module);
    // Thin link-time optimisation keeps the constructor of every module; they all name the one object.
    for (unsigned i = 0; i < module_count; i++)
      if (modules[i].loaded && modules[i].module.units_begin == module->units_begin &&
          modules[i].module.units_end == module->units_end)
        return;
    Registered *at = nullptr;
    for (unsigned i = 0; i < module_count && !at; i++)
      if (!modules[i].loaded && modules[i].published && !modules[i].replaced && modules[i].checksum == checksum &&
          modules[i].module.units_begin == module->units_begin && modules[i].module.units_end == module->units_end &&
          modules[i].module.globals_begin == module->globals_begin)
        at = &modules[i];
    const bool came_late = loads() != loads_at_start;
    is_late = came_late && thread_log.seat;
    if (at) {
      at->module = *module;
      at->loaded = published = true;
    } else if (module_count < most_modules) {
      settle_replaced(*module);
      published = publish_module(module, session.image, session.process->modules, !is_late);
      if (published) store(&session.process->modules, session.process->modules + 1);
      modules[module_count] = {*module, checksum, true, published, false, false, came_late};
      store(&module_count, module_count + 1);
    }
    if (published && module->active) *module->active = wants_references();
  }
  if (published && is_late) announce_globals(*module);
  if (published && thread_log.seat) announce(*module);
}

__attribute__((visibility("default"))) void __dprof_unregister_module_v1(const dprof_module *module) {
  if (!recording) return;
  ErrnoKept kept;
  bool ends = false;
  {
    Locked locked(module_lock);
    for (unsigned i = 0; i < module_count; i++) {
      if (!modules[i].loaded || modules[i].module.units_begin != module->units_begin) continue;
      ends = modules[i].published && modules[i].came_late;
      store(&modules[i].loaded, false);
    }
  }
  if (!ends || !can_log() || is_of_another_process()) return;
  MappedExtent extent = {(uintptr_t)module->units_begin, 0, 0};
  dl_iterate_phdr(find_extent, &extent);
  if (extent.end) log_free(DPROF_ALLOCATOR_MODULE, (const void *)extent.begin, extent.end - extent.begin);
}
}

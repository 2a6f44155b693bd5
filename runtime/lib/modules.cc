// Stage: runtime. Registration: linker-made tables of each instrumented object -> a file of the session per module.
#include "modules.h"

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
        modules[i].loaded && modules[i].published && publish_module(&modules[i].module, image, published);
    published += modules[i].for_child;
  }
  return published;
}

void child_is_forked(bool in_child) {
  for (unsigned i = 0; i < module_count && in_child; i++) modules[i].published = modules[i].for_child;
  give_lock(&module_lock);
}

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
  bool published = false;
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
      if (!modules[i].loaded && modules[i].published && modules[i].checksum == checksum &&
          modules[i].module.units_begin == module->units_begin && modules[i].module.units_end == module->units_end &&
          modules[i].module.globals_begin == module->globals_begin)
        at = &modules[i];
    if (at) {
      at->module = *module;
      at->loaded = published = true;
    } else if (module_count < most_modules) {
      published = publish_module(module, session.image, session.process->modules);
      if (published) store(&session.process->modules, session.process->modules + 1);
      modules[module_count] = {*module, checksum, true, published, false};
      store(&module_count, module_count + 1);
    }
    if (published && module->active) *module->active = wants_references();
  }
  if (published && thread_log.seat) announce(*module);
}

__attribute__((visibility("default"))) void __dprof_unregister_module_v1(const dprof_module *module) {
  if (!recording) return;
  Locked locked(module_lock);
  for (unsigned i = 0; i < module_count; i++)
    if (modules[i].loaded && modules[i].module.units_begin == module->units_begin) store(&modules[i].loaded, false);
}
}

// Stage: tests of the plugin. A runtime that keeps every record of the main thread in memory, and at exit writes them as
// text to the file that DPROF_DOUBLE_OUT names: a line per record, under it a line per slot. Without that variable the program
// lies dormant; with DPROF_DOUBLE_DORMANT it must, or it is aborted. With
// DPROF_DOUBLE_TIGHT no more room is given than was asked for.
#include <dprof/abi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROOM (1u << 20)

__thread struct dprof_thread_cursor __dprof_thread __attribute__((tls_model("initial-exec")));
static uint64_t words[ROOM];
static uint64_t scratch[4096];
static __thread int is_main;
static const struct dprof_module *modules[16];
static unsigned module_count;
static uint64_t last_stamp;
static FILE *out;
static int is_tight;

DPROF_PRESERVE_MOST uint64_t *__dprof_refill(uint64_t needed) {
  if (getenv("DPROF_DOUBLE_DORMANT"))
    abort();
  if (__dprof_thread.cursor > __dprof_thread.limit) {
    fprintf(stderr, "a record went beyond the room that was asked for\n");
    abort();
  }
  uint64_t *room = is_main ? (__dprof_thread.cursor ? __dprof_thread.cursor : words) : scratch;
  int is_full = is_main && room + needed > words + ROOM;
  if (is_full || !is_main)
    memset(room = scratch, 0, sizeof scratch);
  __dprof_thread.cursor = room;
  __dprof_thread.limit = room == scratch || is_tight ? room + needed : words + ROOM;
  return room;
}

DPROF_PRESERVE_MOST uint64_t __dprof_stamp(void) { return ++last_stamp; }

static const char *const kinds[] = {"site",          "load",       "store",       "atomic-load", "atomic-store",
                                    "atomic-update", "atomic-result", "copy-load", "copy-store", "fill",
                                    "masked-load",   "masked-store",  "gather",    "scatter",    "object"};

struct unit_view {
  const struct dprof_unit_header *header;
  const char *strings;
  const struct dprof_type *types;
  const struct dprof_member *members;
  const struct dprof_variable *variables;
  const struct dprof_function *functions;
  const struct dprof_slot *slots;
  const struct dprof_record *records;
};

static struct unit_view view(const void *unit) {
  const struct dprof_unit_header *h = unit;
  const char *base = unit;
  struct unit_view v = {h,
                        base + h->strings_offset,
                        (const void *)(base + h->types_offset),
                        (const void *)(base + h->members_offset),
                        (const void *)(base + h->variables_offset),
                        (const void *)(base + h->functions_offset),
                        (const void *)(base + h->slots_offset),
                        (const void *)(base + h->records_offset)};
  return v;
}

static struct unit_view unit_of(const void *inside) {
  for (unsigned m = 0; m < module_count; ++m)
    for (const char *unit = modules[m]->units_begin; unit < (const char *)modules[m]->units_end;) {
      const struct dprof_unit_header *header = (const void *)unit;
      if ((const char *)inside >= unit && (const char *)inside < unit + header->size_bytes)
        return view(unit);
      unit += header->size_bytes;
    }
  fprintf(stderr, "a header word points outside every unit\n");
  abort();
}

static void print_slot(const struct unit_view *v, const struct dprof_slot *slot, const uint64_t **word) {
  const char *strings = v->strings;
  fprintf(out, "  %s", kinds[slot->kind]);
  unsigned lanes = 1;
  if (slot->kind == DPROF_SLOT_GATHER || slot->kind == DPROF_SLOT_SCATTER)
    lanes = slot->lanes;
  unsigned active = 0;
  if (slot->kind != DPROF_SLOT_SITE)
    for (unsigned i = 0; i < lanes; ++i)
      active += *(*word)++ != 0;
  if (slot->lanes > 1 && lanes > 1)
    fprintf(out, " lanes=%u/%u", active, lanes);
  if (slot->kind == DPROF_SLOT_MASKED_LOAD || slot->kind == DPROF_SLOT_MASKED_STORE)
    fprintf(out, " mask=%llx", (unsigned long long)*(*word)++);
  if (slot->kind == DPROF_SLOT_SITE)
    ;
  else if (slot->size_bytes != DPROF_SIZE_DYNAMIC)
    fprintf(out, " %u", slot->size_bytes);
  else if (slot->kind != DPROF_SLOT_COPY_LOAD)
    fprintf(out, " n=%llu", (unsigned long long)*(*word)++);
  if (slot->type)
    fprintf(out, " %s", strings + v->types[slot->type].name);
  if (slot->path)
    fprintf(out, " .%s", strings + slot->path);
  if (slot->type && slot->offset && slot->offset != DPROF_OFFSET_UNKNOWN)
    fprintf(out, " @%u", slot->offset);
  if (slot->variable)
    fprintf(out, " %s=%s", v->variables[slot->variable].kind == DPROF_VARIABLE_STACK ? "local" : "var", strings + v->variables[slot->variable].name);
  fprintf(out, " :%u", slot->line);
  if (slot->function)
    fprintf(out, " %s", strings + v->functions[slot->function].name);
  fprintf(out, "\n");
}

static void print_record(const uint64_t *at) {
  const struct dprof_record *record = (const void *)at[0];
  struct unit_view v = unit_of(record);
  static const char *const tags[] = {"?", "segment", "allocation", "free", "marker"};
  fprintf(out, "%s %s", tags[record->tag], v.strings + v.functions[record->function].name);
  if (record->tag == DPROF_RECORD_SEGMENT)
    fprintf(out, " n=%u", record->instructions);
  if (record->flags & DPROF_RECORD_ENTRY)
    fprintf(out, " entry");
  if (record->flags & DPROF_RECORD_EXIT)
    fprintf(out, " exit");
  if (record->flags & DPROF_RECORD_STAMPED)
    fprintf(out, " stamped");
  if (record->flags & DPROF_RECORD_FRAME)
    fprintf(out, " frame");
  if (record->tag == DPROF_RECORD_ALLOCATION)
    fprintf(out, " %s bytes=%llu", at[1] ? "memory" : "null", (unsigned long long)at[2]);
  fprintf(out, "\n");
  const uint64_t *word = at + 1;
  for (unsigned i = 0; i < record->slot_count; ++i)
    print_slot(&v, &v.slots[record->first_slot + i], &word);
}

static void print_variable(const char *what, const struct dprof_variable *variable, const void *address) {
  struct unit_view v = unit_of(variable);
  const struct dprof_type *type = &v.types[variable->type];
  fprintf(out, "%s %s: %s, %llu bytes%s\n", what, v.strings + variable->name, v.strings + type->name,
         (unsigned long long)variable->size_bytes, address ? "" : " NOWHERE");
}

static void visit_thread_local(const struct dprof_variable *variable, void *address) {
  print_variable("thread-local", variable, address);
}

static void print_all(void) {
  out = fopen(getenv("DPROF_DOUBLE_OUT"), "w");
  if (!out)
    abort();
  for (unsigned m = 0; m < module_count; ++m) {
    *modules[m]->active = 0;
    for (const struct dprof_global *g = modules[m]->globals_begin; g < modules[m]->globals_end; ++g)
      print_variable("global", g->variable, g->address);
    for (void (*const *f)(void (*)(const struct dprof_variable *, void *)) = modules[m]->thread_locals_begin;
         f < modules[m]->thread_locals_end; ++f)
      (*f)(visit_thread_local);
  }
  for (const uint64_t *at = words; at < words + ROOM && *at;) {
    print_record(at);
    at += 1 + ((const struct dprof_record *)at[0])->words;
  }
  fclose(out);
}

void __dprof_register_module_v1(const struct dprof_module *module) {
  if (!module_count && getenv("DPROF_DOUBLE_OUT")) {
    is_main = 1;
    is_tight = getenv("DPROF_DOUBLE_TIGHT") != NULL;
    atexit(print_all);
  }
  modules[module_count++] = module;
  *module->active = getenv("DPROF_DOUBLE_OUT") != NULL;
}

void __dprof_unregister_module_v1(const struct dprof_module *module) { (void)module; }

// Stage: tests of the plugin. A runtime that keeps every path of the main thread in memory, and at exit writes them as
// text to the file that DPROF_DOUBLE_OUT names: a line per path ("path FUNCTION NUMBER/PATHS words=N of M", gaps
// included, of those that its records have), a line per record, under it a line per slot. Without that variable the
// program lies dormant; with DPROF_DOUBLE_DORMANT it must, or it is aborted. With DPROF_DOUBLE_TIGHT no more room is
// given than was asked for, with DPROF_DOUBLE_ADDRESSES each slot's line ends in its address.
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
static int is_tight, shows_addresses;
static __thread uint64_t *room_end; // as it was given: loops that are recorded once lower the limit

DPROF_PRESERVE_MOST uint64_t *__dprof_refill(uint64_t needed) {
  if (getenv("DPROF_DOUBLE_DORMANT"))
    abort();
  if (__dprof_thread.cursor > room_end) {
    fprintf(stderr, "a record went beyond the room that was asked for\n");
    abort();
  }
  uint64_t *room = is_main ? (__dprof_thread.cursor ? __dprof_thread.cursor : words) : scratch;
  int is_full = is_main && room + needed > words + ROOM;
  if (is_full || !is_main)
    memset(room = scratch, 0, sizeof scratch);
  __dprof_thread.cursor = room;
  __dprof_thread.limit = room_end = room == scratch || is_tight ? room + needed : words + ROOM;
  return room;
}

DPROF_PRESERVE_MOST uint64_t __dprof_stamp(void) { return ++last_stamp; }

static const char *const kinds[] = {"site",          "load",          "store",     "atomic-load", "atomic-store",
                                    "atomic-update", "atomic-result", "copy-load", "copy-store",  "fill",
                                    "masked-load",   "masked-store",  "gather",    "scatter",     "object",
                                    "scan",          "value",         "argument"};

struct unit_view {
  const struct dprof_unit_header *header;
  const char *strings;
  const struct dprof_type *types;
  const struct dprof_member *members;
  const struct dprof_variable *variables;
  const struct dprof_function *functions;
  const struct dprof_slot *slots;
  const struct dprof_record *records;
  const struct dprof_region *regions;
  const struct dprof_node *nodes;
  const struct dprof_edge *edges;
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
                        (const void *)(base + h->records_offset),
                        (const void *)(base + h->regions_offset),
                        (const void *)(base + h->nodes_offset),
                        (const void *)(base + h->edges_offset)};
  return v;
}

static void fail(const char *what) {
  fprintf(stderr, "%s\n", what);
  abort();
}

static struct unit_view unit_of(const void *inside) {
  for (unsigned m = 0; m < module_count; ++m)
    for (const char *unit = modules[m]->units_begin; unit < (const char *)modules[m]->units_end;) {
      const struct dprof_unit_header *header = (const void *)unit;
      if ((const char *)inside >= unit && (const char *)inside < unit + header->size_bytes)
        return view(unit);
      unit += header->size_bytes;
    }
  fail("a header word points outside every unit");
  abort();
}

// The addresses of the slots of the path being printed, by index: what others may derive from.
#define PATH_SLOTS 4096
static uint32_t seen_slot[PATH_SLOTS];
static uint64_t seen_address[PATH_SLOTS];
static unsigned seen;

static int has_one_address(uint8_t kind) {
  return kind != DPROF_SLOT_SITE && kind != DPROF_SLOT_GATHER && kind != DPROF_SLOT_SCATTER &&
         kind != DPROF_SLOT_VALUE && kind != DPROF_SLOT_ARGUMENT;
}

static uint64_t address_of(const struct unit_view *v, const struct dprof_slot *slot, const uint64_t **word) {
  uint64_t address = 0;
  if (slot->base) {
    unsigned i = seen;
    while (i > 0 && seen_slot[i - 1] != slot->base - 1)
      --i;
    if (!i || v->slots[slot->base - 1].base)
      fail("a slot derives from one that is not logged before it");
    address = seen_address[i - 1] + (int64_t)slot->delta;
  } else {
    address = *(*word)++;
  }
  if (seen == PATH_SLOTS)
    fail("a path with too many slots for this test");
  seen_slot[seen] = slot - v->slots;
  seen_address[seen++] = address;
  return address;
}

static void print_slot(const struct unit_view *v, const struct dprof_slot *slot, const uint64_t **word) {
  const char *strings = v->strings;
  fprintf(out, "  %s", kinds[slot->kind]);
  uint64_t address = has_one_address(slot->kind) ? address_of(v, slot, word) : 0;
  if (slot->kind == DPROF_SLOT_GATHER || slot->kind == DPROF_SLOT_SCATTER) {
    unsigned active = 0;
    for (unsigned i = 0; i < slot->lanes; ++i)
      active += *(*word)++ != 0;
    fprintf(out, " lanes=%u/%u", active, slot->lanes);
  }
  if (slot->kind == DPROF_SLOT_MASKED_LOAD || slot->kind == DPROF_SLOT_MASKED_STORE)
    fprintf(out, " mask=%llx", (unsigned long long)*(*word)++);
  if (slot->kind == DPROF_SLOT_VALUE || slot->kind == DPROF_SLOT_ARGUMENT)
    fprintf(out, "=%llx", (unsigned long long)*(*word)++);
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
    fprintf(out, " %s=%s", v->variables[slot->variable].kind == DPROF_VARIABLE_STACK ? "local" : "var",
            strings + v->variables[slot->variable].name);
  fprintf(out, " :%u", slot->line);
  if (slot->function)
    fprintf(out, " %s", strings + v->functions[slot->function].name);
  if (shows_addresses && address)
    fprintf(out, " %s%llx", slot->base ? "derived " : "", (unsigned long long)address);
  fprintf(out, "\n");
}

static void print_record(const struct unit_view *view, const struct dprof_record *record, const uint64_t **word) {
  struct unit_view v = *view;
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
    fprintf(out, " %s bytes=%llu", (*word)[0] ? "memory" : "null", (unsigned long long)(*word)[1]);
  fprintf(out, "\n");
  for (unsigned i = 0; i < record->slot_count; ++i)
    print_slot(&v, &v.slots[record->first_slot + i], word);
  if (record->tag == DPROF_RECORD_ALLOCATION || record->tag == DPROF_RECORD_FREE)
    *word += record->words;
  if (record->flags & DPROF_RECORD_STAMPED)
    ++*word;
}

// The node behind `node` on the path of number `*number`; null if it ends there.
static const struct dprof_node *next_node(const struct unit_view *v, const struct dprof_region *region,
                                          const struct dprof_node *node, uint32_t *number) {
  if (node->flags & DPROF_NODE_ENDS && *number == 0)
    return NULL;
  const struct dprof_edge *edge = &v->edges[node->first_edge] + node->edge_count;
  do {
    if (edge-- == &v->edges[node->first_edge])
      fail("a path that leads nowhere");
  } while (edge->before > *number);
  *number -= edge->before;
  if (v->nodes + region->first_node + edge->node <= node)
    fail("nodes are not in topological order");
  return v->nodes + region->first_node + edge->node;
}

// Every iteration's records. Gives the words that follow the header word.
static uint64_t print_loop(const struct unit_view *v, const struct dprof_region *region, uint32_t tail,
                           const uint64_t *words) {
  const struct dprof_node *node = &v->nodes[region->first_node];
  const struct dprof_record *records = &v->records[node->first_record];
  uint64_t address[PATH_SLOTS], stride[PATH_SLOTS], iterations = words[0];
  unsigned logged = 0, slots = 0;
  const uint64_t *word = words + 1;
  if (region->node_count != 1 || region->path_count != node->record_count)
    fail("a loop that is not one node with as many paths as records");
  for (unsigned r = 0; r < node->record_count; ++r)
    for (unsigned i = 0; i < records[r].slot_count; ++i, ++slots) {
      const struct dprof_slot *slot = &v->slots[records[r].first_slot + i];
      if (slot->base)
        continue;
      address[logged] = *word++;
      stride[logged++] = slot->delta == DPROF_STRIDE_LOGGED ? *word++ : (uint64_t)(int64_t)slot->delta;
    }
  fprintf(out, "loop %s iterations=%llu and %u records words=%u of %u\n",
          v->strings + v->functions[records[0].function].name, (unsigned long long)iterations, tail,
          (unsigned)(word - words), slots);
  uint64_t words_used = word - words;
  for (uint64_t made = 0; made < iterations * node->record_count + tail; ++made) {
    unsigned r = made % node->record_count;
    if (r == 0) {
      seen = 0;
      word = address;
      for (unsigned i = 0; made && i < logged; ++i)
        address[i] += stride[i];
    }
    print_record(v, &records[r], &word);
  }
  return words_used;
}

// Gives the words that follow the header word.
static uint64_t print_path(const uint64_t *at) {
  struct unit_view v = unit_of((const void *)at[0]);
  uint64_t offset = at[0] - (uint64_t)v.regions;
  uint64_t entry = offset / sizeof(struct dprof_region);
  if (entry >= v.header->regions_count)
    fail("a header word points outside the regions");
  const struct dprof_region *region = &v.regions[entry] - v.regions[entry].back;
  uint32_t number = at[0] - (uint64_t)region;
  if (number >= region->path_count)
    fail("no path of that number");
  if (region->flags & DPROF_REGION_LOOP)
    return print_loop(&v, region, number, at + 1);
  const struct dprof_node *first = &v.nodes[region->first_node];
  uint64_t words = 0, slots = 0, whole = 0, records = 0;
  uint32_t left = number;
  for (const struct dprof_node *node = first; node; node = next_node(&v, region, node, &left)) {
    if (node->first_word < words)
      fail("a node begins inside another");
    words = node->first_word;
    for (unsigned r = 0; r < node->record_count; ++r) {
      const struct dprof_record *record = &v.records[node->first_record + r];
      whole += record->words;
      slots += record->slot_count;
      words += record->words;
      for (unsigned i = 0; i < record->slot_count; ++i)
        words -= v.slots[record->first_slot + i].base != 0;
      ++records;
    }
  }
  if (!records)
    fail("a path without records");
  if (slots > DPROF_SLOTS_PER_WORD * (1 + words))
    fail("too many slots for so few words");
  fprintf(out, "path %s %u/%u words=%llu of %llu\n",
          v.strings + v.functions[v.records[first->first_record].function].name, number, region->path_count,
          (unsigned long long)words, (unsigned long long)whole);
  left = number;
  seen = 0;
  for (const struct dprof_node *node = first; node; node = next_node(&v, region, node, &left)) {
    const uint64_t *word = at + 1 + node->first_word;
    for (unsigned r = 0; r < node->record_count; ++r)
      print_record(&v, &v.records[node->first_record + r], &word);
  }
  return words;
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
  for (const uint64_t *at = words; at < words + ROOM && *at;)
    at += 1 + print_path(at);
  fclose(out);
}

void __dprof_register_module_v1(const struct dprof_module *module) {
  if (!module_count && getenv("DPROF_DOUBLE_OUT")) {
    is_main = 1;
    is_tight = getenv("DPROF_DOUBLE_TIGHT") != NULL;
    shows_addresses = getenv("DPROF_DOUBLE_ADDRESSES") != NULL;
    atexit(print_all);
  }
  modules[module_count++] = module;
  *module->active = getenv("DPROF_DOUBLE_OUT") != NULL;
}

void __dprof_unregister_module_v1(const struct dprof_module *module) { (void)module; }

// Instrumentation by hand, as the plugin would emit it: one unit with a few records, a constructor that registers it, and
// functions that log. So the tests of runtime and recorder need no compiler of ours.
#ifndef INSTRUMENTED_H
#define INSTRUMENTED_H

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#include "dprof/abi.h"

enum { STORE_ONE, LOAD_TWO, FIVE, UPDATE, EMPTY, RECORDS }; // numbers of records and of their regions, each with one path, in every trace

enum { SLOT_STORE, SLOT_LOAD_A, SLOT_LOAD_B, SLOT_FIVE, SLOT_UPDATE = SLOT_FIVE + 5, SLOTS };

struct test_unit {
  struct dprof_unit_header header;
  char strings[56];
  struct dprof_type types[2];
  struct dprof_variable variables[3];
  struct dprof_function functions[2];
  struct dprof_slot slots[SLOTS];
  struct dprof_record records[RECORDS];
  struct dprof_region regions[RECORDS];
  struct dprof_node nodes[RECORDS];
} __attribute__((aligned(16)));

#define AT(field) __builtin_offsetof(struct test_unit, field)
#define SLOT(k, bytes) {.size_bytes = bytes, .type = 1, .function = 1, .file = 1, .line = 1, .lanes = 1, .kind = k}
#define REGION(i) {.path_count = 1, .first_node = i, .node_count = 1}
#define NODE(i) {.first_record = i, .record_count = 1, .flags = DPROF_NODE_ENDS}

__attribute__((section("dprof_units"), used, visibility("hidden"))) struct test_unit unit = {
    .header = {.magic = DPROF_UNIT_MAGIC, .version = DPROF_UNIT_VERSION, .size_bytes = sizeof(struct test_unit), .source = 1,
               .strings_offset = AT(strings), .strings_bytes = 56, .types_offset = AT(types), .types_count = 2,
               .members_offset = AT(types), .members_count = 0, .variables_offset = AT(variables), .variables_count = 3,
               .functions_offset = AT(functions), .functions_count = 2, .slots_offset = AT(slots), .slots_count = SLOTS,
               .records_offset = AT(records), .records_count = RECORDS,
               .regions_offset = AT(regions), .regions_count = RECORDS, .nodes_offset = AT(nodes), .nodes_count = RECORDS},
    .strings = "\0test.c\0long\0global\0local",
    .types = {{0}, {.size_bytes = 8, .name = 8, .kind = DPROF_TYPE_SCALAR}},
    .variables = {{0}, {.size_bytes = 8, .name = 13, .type = 1, .kind = DPROF_VARIABLE_GLOBAL},
                  {.size_bytes = 8, .name = 20, .type = 1, .kind = DPROF_VARIABLE_THREAD_LOCAL}},
    .functions = {{0}, {.name = 1, .linkage_name = 1, .file = 1, .line = 1}},
    .slots = {[SLOT_STORE] = SLOT(DPROF_SLOT_STORE, 8), [SLOT_LOAD_A] = SLOT(DPROF_SLOT_LOAD, 8), [SLOT_LOAD_B] = SLOT(DPROF_SLOT_LOAD, 8),
              [SLOT_FIVE] = SLOT(DPROF_SLOT_LOAD, 4), SLOT(DPROF_SLOT_LOAD, 4), SLOT(DPROF_SLOT_LOAD, 4), SLOT(DPROF_SLOT_LOAD, 4),
              SLOT(DPROF_SLOT_STORE, 4), [SLOT_UPDATE] = SLOT(DPROF_SLOT_ATOMIC_UPDATE, 8)},
    .records = {[STORE_ONE] = {DPROF_RECORD_SEGMENT, 0, 1, 1, 3, 1, SLOT_STORE, 0, {0}},
                [LOAD_TWO] = {DPROF_RECORD_SEGMENT, 0, 2, 2, 5, 1, SLOT_LOAD_A, 0, {0}},
                [FIVE] = {DPROF_RECORD_SEGMENT, 0, 5, 5, 9, 1, SLOT_FIVE, 0, {0}},
                [UPDATE] = {DPROF_RECORD_SEGMENT, DPROF_RECORD_STAMPED, 1, 2, 1, 1, SLOT_UPDATE, 0, {0}},
                [EMPTY] = {DPROF_RECORD_SEGMENT, 0, 0, 0, 7, 1, 0, 0, {0}}},
    .regions = {[STORE_ONE] = REGION(STORE_ONE), REGION(LOAD_TWO), REGION(FIVE), REGION(UPDATE), REGION(EMPTY)},
    .nodes = {[STORE_ONE] = NODE(STORE_ONE), NODE(LOAD_TWO), NODE(FIVE), NODE(UPDATE), NODE(EMPTY)},
};
#undef SLOT
#undef REGION
#undef NODE

__attribute__((visibility("hidden"))) long test_global;
__attribute__((visibility("hidden"))) __thread long test_local;
__attribute__((section("dprof_globals"), used)) struct dprof_global test_globals[] = {{&test_global, &unit.variables[1]}};

static void test_visit(void (*visit)(const struct dprof_variable *, void *)) { visit(&unit.variables[2], &test_local); }
static void (*const test_visitors[])(void (*)(const struct dprof_variable *, void *)) = {test_visit};

static volatile uint8_t recording_now;
static struct dprof_module test_module;

__attribute__((constructor(200))) static void register_test_module(void) {
  test_module.units_begin = &unit;
  test_module.units_end = &unit + 1;
  test_module.globals_begin = test_globals;
  test_module.globals_end = test_globals + 1;
  test_module.thread_locals_begin = test_visitors;
  test_module.thread_locals_end = test_visitors + 1;
  test_module.active = (uint8_t *)&recording_now;
  __dprof_register_module_v1(&test_module);
}

__attribute__((destructor(200))) static void unregister_test_module(void) { __dprof_unregister_module_v1(&test_module); }

static inline uint64_t *room(uint64_t words) {
  uint64_t *cursor = __dprof_thread.cursor;
  if ((uintptr_t)(cursor + words) > (uintptr_t)__dprof_thread.limit) cursor = __dprof_refill(words);
  return cursor;
}

static inline void commit(uint64_t *cursor, int region, uint64_t words) {
  __asm__ volatile("" ::: "memory");
  *(volatile uint64_t *)cursor = (uintptr_t)&unit.regions[region];
  __asm__ volatile("" ::: "memory");
  __dprof_thread.cursor = cursor + 1 + words;
}

// `*p = value`, and the log of it.
static inline void store_one(long *p, long value) {
  if (!recording_now) { *p = value; return; }
  uint64_t *cursor = room(2);
  ((volatile uint64_t *)cursor)[1] = (uintptr_t)p;
  *(volatile long *)p = value;
  commit(cursor, STORE_ONE, 1);
}

static inline long load_two(const long *a, const long *b) {
  if (!recording_now) return *a + *b;
  uint64_t *cursor = room(3);
  ((volatile uint64_t *)cursor)[1] = (uintptr_t)a;
  long sum = *(volatile const long *)a;
  ((volatile uint64_t *)cursor)[2] = (uintptr_t)b;
  sum += *(volatile const long *)b;
  commit(cursor, LOAD_TWO, 2);
  return sum;
}

// Addresses that need not exist.
static inline void log_five(const uint64_t addresses[5]) {
  if (!recording_now) return;
  uint64_t *cursor = room(6);
  for (int i = 0; i < 5; i++) ((volatile uint64_t *)cursor)[1 + i] = addresses[i];
  commit(cursor, FIVE, 5);
}

static inline void update(atomic_long *p) {
  if (!recording_now) { atomic_fetch_add(p, 1); return; }
  uint64_t *cursor = room(3);
  ((volatile uint64_t *)cursor)[1] = (uintptr_t)p;
  ((volatile uint64_t *)cursor)[2] = __dprof_stamp();
  atomic_fetch_add(p, 1);
  commit(cursor, UPDATE, 2);
}

static inline void step_empty(void) {
  if (recording_now) commit(room(1), EMPTY, 0);
}

#endif

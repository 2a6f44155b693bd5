// Stage: recorder -> trace. The bytes of a *.dptrace file; docs/trace-format.md explains them with a worked example.
// All integers are little-endian.
//
//   FileHeader | chunk | chunk | ... | END chunk
//
// A trace without an END chunk was cut short: everything up to the last whole chunk counts, and reports say
// "truncated".
#ifndef DPROF_TRACE_FORMAT_H
#define DPROF_TRACE_FORMAT_H

#include <stdint.h>

#include "unit_format.h"

#define DPROF_TRACE_MAGIC "DPROFTRC"      /* 8 bytes, no NUL */
#define DPROF_TRACE_VERSION 3u            /* named "loops" */
#define DPROF_CHUNK_MAGIC 0x4b435044u     /* "DPCK" */
#define DPROF_CHUNK_MAX_BYTES (64u << 20) /* payload, and each column once unpacked */

enum { DPROF_TRACE_ARCH_X86_64 = 1, DPROF_TRACE_ARCH_AARCH64 = 2 };
enum { DPROF_TRACE_FLAG_ASLR = 1 }; // address randomisation was on

struct dprof_trace_header {
  char magic[8];
  uint32_t version;
  uint32_t header_bytes; // sizeof(struct dprof_trace_header)
  uint64_t features;     // a bit for each feature that a reader must understand; none so far
  uint64_t stamps_per_second;
  uint64_t start_time_ns; // Unix time
  uint32_t architecture;
  uint32_t flags;
  uint32_t page_bytes;
  uint32_t pid;
  uint32_t reserved;
  uint32_t checksum; // CRC-32 (IEEE, as zlib) of the bytes before it
};

// The payload of each kind of chunk. A MAPPINGS chunk says which memory of the process is shared. It stands before the
// EVENTS chunks that use that memory.
enum dprof_chunk_kind {
  DPROF_CHUNK_PROCESS = 1,      // UTF-8 JSON: {"command":[...],"executable":"...","cpus":N,"randomised":false}
  DPROF_CHUNK_MODULE = 2,       // dprof_chunk_module, its path, its globals, one column: the units; then its build id
  DPROF_CHUNK_EVENTS = 3,       // dprof_chunk_events, then three columns: control, words, events
  DPROF_CHUNK_END = 4,          // UTF-8 JSON: how the run ended; the last chunk of a whole trace
  DPROF_CHUNK_MAPPINGS = 5,     // any number of dprof_chunk_mapping
  DPROF_CHUNK_RESTART = 6,      // as EVENTS; the thread's predictions begin anew with it, so decoding may begin here
  DPROF_CHUNK_COMMON_MODULE = 7 // as MODULE, but the units are in another trace: dprof_chunk_module, its path, its
                                // globals, one dprof_chunk_module_home, the name of that trace's file; its build id
};

struct dprof_chunk_header {
  uint32_t magic;
  uint16_t kind;
  uint16_t flags;            // 0
  uint32_t thread;           // EVENTS, RESTART: thread number in creation order; else 0
  uint32_t sequence;         // EVENTS, RESTART: 0, 1, 2 ... within the thread; else 0
  uint32_t payload_bytes;    // how many bytes follow this header
  uint32_t payload_checksum; // CRC-32 of the payload
  uint32_t reserved;
  uint32_t header_checksum; // CRC-32 of the bytes before it
};

// A *column* is u32 stored_bytes, u32 raw_bytes, and one LZ4 block that unpacks to raw_bytes bytes. stored_bytes counts
// raw_bytes and the block, so what follows stored_bytes is LZ4 "with prepended size". If raw_bytes is 0, stored_bytes
// is 4 and no block follows.

struct dprof_chunk_module {
  uint32_t module;         // number, in order of registration: 0, 1, 2 ...
  uint32_t path_bytes;     // length of the UTF-8 path that follows this struct, without padding
  uint32_t globals_count;  // so many dprof_chunk_global follow the path
  uint32_t build_id_bytes; // so many end the chunk: the build id of the ELF file; 0: nobody knows it
};

struct dprof_chunk_global {
  uint64_t address;
  uint32_t unit;     // index of the unit within the module's units, in section order
  uint32_t variable; // index in that unit
};

// The MODULE chunk of another trace of the same recording, which is in the same folder.
struct dprof_chunk_module_home {
  uint64_t start_time_ns; // of that trace's header, as `pid` is
  uint32_t pid;
  uint32_t module;         // its number there
  uint32_t units_checksum; // CRC-32 of the units, unpacked
  uint32_t file_bytes;     // length of the UTF-8 file name that follows this struct; no folder
};

// Records are numbered over the whole trace. Record 0 is the first one of the first unit of module 0. Modules follow
// one another by number, the units of a module in section order, the records of a unit in their order. Slots and region
// entries are numbered in the same way. The number of a path over the whole trace is 32 times the number of its
// region's entry, plus its number in the region.

struct dprof_chunk_events {
  uint32_t steps;  // steps in this chunk: paths and runtime events
  uint32_t events; // entries of the events column: runtime events and stamps of atomics
};

// From the stamp on, other processes may share the memory [address, address + bytes), until another mapping changes the
// state of its bytes.
struct dprof_chunk_mapping {
  uint64_t stamp;
  uint64_t address;
  uint64_t bytes;
  uint64_t device; // major << 32 | minor; with the inode it names the memory, as long as the machine runs
  uint64_t inode;
  uint64_t offset; // where in that memory the first byte lies
  uint32_t kind;   // dprof_mapping_kind
  uint32_t reserved;
};

#ifdef __cplusplus
static_assert(sizeof(struct dprof_trace_header) == 64, "dprof_trace_header");
static_assert(sizeof(struct dprof_chunk_header) == 32, "dprof_chunk_header");
static_assert(sizeof(struct dprof_chunk_module) == 16, "dprof_chunk_module");
static_assert(sizeof(struct dprof_chunk_global) == 16, "dprof_chunk_global");
static_assert(sizeof(struct dprof_chunk_module_home) == 24, "dprof_chunk_module_home");
static_assert(sizeof(struct dprof_chunk_events) == 8, "dprof_chunk_events");
static_assert(sizeof(struct dprof_chunk_mapping) == 56, "dprof_chunk_mapping");
#endif

#endif

// Stage: collector -> histories. The bytes of a *.dphistories file; docs/histories.md explains them. All integers are
// little-endian.
//
//   dprof_histories_header | chunk | chunk | ... | END chunk
//
// A chunk is as in a trace (trace_format.h): dprof_chunk_header, then the payload. Its `thread` is 0, its `sequence`
// its number in the file, its `kind` one of those below. A column is as in a trace too. A file without an END chunk was
// cut short: everything up to the last whole chunk counts.
#ifndef DPROF_HISTORIES_FORMAT_H
#define DPROF_HISTORIES_FORMAT_H

#include <stdint.h>

#define DPROF_HISTORIES_FILE_MAGIC "DPROFHIS" /* 8 bytes, no NUL */
#define DPROF_HISTORIES_FILE_VERSION 1u       /* named "first" */

struct dprof_histories_header {
  char magic[8];
  uint32_t version;
  uint32_t header_bytes;
  uint64_t features; // a bit for each feature that a reader must understand; none so far
  uint32_t reserved;
  uint32_t checksum; // CRC-32 of the bytes before it
};

enum dprof_histories_chunk {
  DPROF_HISTORIES_RUN = 1,  // UTF-8 JSON: command, settings, clocks, what a trap costs
  DPROF_HISTORIES_TYPE = 2, // UTF-8 JSON: number, name, bytes, fields, slots, watches of a set
  // UTF-8 JSON: list of {ip, function, within, file, line, column, module, offset}. A place stands before the first
  // ROWS chunk that has its ip.
  DPROF_HISTORIES_PLACES = 3,
  DPROF_HISTORIES_ROWS = 4, // u32 histories, u32 elements, then the columns below, in this order
  DPROF_HISTORIES_END = 5   // UTF-8 JSON: how it ended, and counts
};

// The columns of histories have one entry for each history, in this order:
//   type            u32  number of the type
//   set, watch      u32  which watch of the type's plan, in which set of histories
//   partner         u32  1 + the row of the object that was watched together with it, counted over the file; 0: none
//   address, bytes  u64  the allocation
//   element         u64  bytes from `address` to the object that was watched: of an array, one of its elements
//   allocatedIp, allocatedStamp, allocatedNs  u64
//   allocatedThread, allocatedCpu             u32
//   armedNs         u64  when the registers were set
//   endedIp         u64  0 unless the object was freed
//   endedNs         u64
//   endedThread, endedCpu                     u32
//   ending          u8   dprof_histories_ending
//   elements        u32  how many elements this history has
//
// The columns of elements go on history by history, in each by time:
//   offset          u32  from the beginning of the watched object
//   width           u8
//   ip              u64
//   cpu, thread     u32
//   timeNs          u64
enum dprof_histories_ending {
  DPROF_ENDING_FREE = 0,
  DPROF_ENDING_EXIT = 1,     // never freed: the program ended
  DPROF_ENDING_LONGEST = 2,  // let go because of --longest
  DPROF_ENDING_ELEMENTS = 3, // let go because of --most-elements
  DPROF_ENDING_PARTNER = 4,  // the object that was watched with it was freed
  DPROF_ENDING_EXEC = 5      // another program took the place of this one
};

#ifdef __cplusplus
static_assert(sizeof(struct dprof_histories_header) == 32, "dprof_histories_header");
#endif

#endif

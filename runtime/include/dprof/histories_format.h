// Stage: collector -> histories. The bytes of a *.dphistories file; docs/histories.md explains them. All integers are
// little-endian.
//
//   dprof_histories_header | chunk | chunk | ... | END chunk
//
// Chunks are those of a trace (trace_format.h: dprof_chunk_header, `thread` 0, `sequence` counting them), of these
// kinds; a column is as there. A file without an END chunk was cut short: everything up to the last whole chunk counts.
#ifndef DPROF_HISTORIES_FORMAT_H
#define DPROF_HISTORIES_FORMAT_H

#include <stdint.h>

#define DPROF_HISTORIES_FILE_MAGIC "DPROFHIS" /* 8 bytes, no NUL */
#define DPROF_HISTORIES_FILE_VERSION 1u       /* named "first" */

struct dprof_histories_header {
  char magic[8];
  uint32_t version;
  uint32_t header_bytes;
  uint64_t features; // bit mask of what a reader must understand; 0 so far
  uint32_t reserved;
  uint32_t checksum; // CRC-32 of the bytes before it
};

enum dprof_histories_chunk {
  DPROF_HISTORIES_RUN = 1,    // UTF-8 JSON: command, settings, clocks, what a trap costs
  DPROF_HISTORIES_TYPE = 2,   // UTF-8 JSON: number, name, bytes, fields, slots, watches of a set
  DPROF_HISTORIES_PLACES = 3, // UTF-8 JSON: list of {ip, function, within, file, line, column, module, offset}; before
                              // the first chunk that names them
  DPROF_HISTORIES_ROWS = 4,   // u32 histories, u32 elements, then the columns below, in this order
  DPROF_HISTORIES_END = 5     // UTF-8 JSON: how it ended, and counts
};

// Columns of histories: one entry each.
//   type u32, set u32, watch u32 (of the type's plan), partner u32 (1 + the row of the object watched with it, counted
//   over the file; 0: none), address u64, bytes u64 (of the allocation), element u64 (bytes from there to what was
//   watched: of an array, one of its elements) allocatedIp u64, allocatedStamp u64, allocatedNs u64, allocatedThread
//   u32, allocatedCpu u32, armedNs u64, endedIp u64 (0 unless freed), endedNs u64, endedThread u32, endedCpu u32,
//   ending u8 (dprof_histories_ending), elements u32 (that follow, of this history)
// Columns of elements: history by history, by time in each.
//   offset u32 (from what was watched), width u8, ip u64, cpu u32, thread u32, timeNs u64
enum dprof_histories_ending {
  DPROF_ENDING_FREE = 0,
  DPROF_ENDING_EXIT = 1,     // never freed: the program ended
  DPROF_ENDING_LONGEST = 2,  // --longest
  DPROF_ENDING_ELEMENTS = 3, // --most-elements
  DPROF_ENDING_PARTNER = 4,  // the object that was watched with it was freed
  DPROF_ENDING_EXEC = 5      // another program took the place of this one
};

#ifdef __cplusplus
static_assert(sizeof(struct dprof_histories_header) == 32, "dprof_histories_header");
#endif

#endif

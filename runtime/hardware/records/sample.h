// Stage: hardware. One sample as the kernel's rings give it, before it has a type. A field that the event does not
// record is 0.
#pragma once

#include <stdint.h>

namespace dprof {

struct Sample {
  uint64_t time_ns; // CLOCK_MONOTONIC
  uint64_t ip;
  uint64_t address;
  uint64_t physical_address;
  uint64_t data_page_bytes;
  uint64_t period;
  uint64_t weight;      // cycles of latency
  uint64_t data_source; // perf_mem_data_src
  uint32_t pid, tid, cpu;
  uint16_t event; // index of the events that were opened
  uint16_t misc;  // of the record: bits 0-2 kernel (1) or user (2), bit 14 this very instruction
  uint16_t instruction_latency, retire_latency;
  uint8_t access_bytes;
  bool is_behind; // ip is that of the instruction behind: debug registers
};

} // namespace dprof

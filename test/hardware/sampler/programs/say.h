// A program under dprof-sample-probe says itself what is sampled: the probe's struct dprof::Sample, as it is now.
#pragma once

#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct said_sample {
  uint64_t time_ns, ip, address, physical_address, data_page_bytes, period, weight, data_source;
  uint32_t pid, tid, cpu;
  uint16_t event, misc, instruction_latency, retire_latency;
  uint8_t access_bytes;
  uint8_t is_behind;
};

static int said_pipe = -1;

__attribute__((noinline, unused)) static void say_as(const volatile void *address, uint32_t cpu, int is_store) {
  struct timespec now;
  if (said_pipe < 0) said_pipe = open(getenv("DPROF_PROBE"), O_WRONLY | O_CLOEXEC);
  clock_gettime(CLOCK_MONOTONIC, &now);
  struct said_sample sample = {};
  sample.time_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
  sample.ip = (uintptr_t)__builtin_return_address(0);
  sample.is_behind = 1;
  sample.address = (uintptr_t)address;
  sample.period = 10;
  sample.pid = (uint32_t)getpid();
  sample.tid = (uint32_t)syscall(SYS_gettid);
  sample.cpu = cpu;
  sample.misc = 2;
  sample.data_source = is_store ? 4 : 2;
  if (write(said_pipe, &sample, sizeof sample) != sizeof sample) abort();
}

// Sampled here and now: a load, on the first processor.
#define SAY(address) say_as(address, 0, 0)

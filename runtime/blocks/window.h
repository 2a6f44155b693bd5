// Stage: blocks. Where everything lies in the child that runs a block, and in the file in memory that it shares with
// the monitor: the same offsets in both. The harness (assembly) and the monitor (C++) read this.
//
//   CODE_OF_HARNESS   read and execute
//   DESK              what the monitor asks for, and what the harness answers
//   DATA              the one physical page behind every page that the block touches
//   STACK             the harness's own
//   LOG               the addresses of the block's accesses
//   BLOCK             the unrolled block, read and execute
#pragma once

#define WINDOW 0x5e4f3c200000 // far from BHive's value, and from what compilers place anywhere
#define WINDOW_BYTES 0x800000
#define PAGE 0x1000
#define LINE 64

#define CODE_OF_HARNESS 0x0
#define DESK 0x4000
#define STATE 0x6000          // XRSTOR's image
#define VECTORS (STATE + 192) // 64 bytes of what it has for the XMM registers
#define DATA 0x8000
#define STACK 0x9000
#define LOG 0x10000
#define LOG_BYTES 0x1f0000
#define BLOCK 0x200000
#define BLOCK_BYTES (WINDOW_BYTES - BLOCK)
#define OWN_PAGES WINDOW_BYTES // in the file alone: a page for each that the block touches, if they are not to be one

#define FILL 0x12345600 // BHive's: of general registers, memory and the bases of FS and GS

// Offsets in the desk.
#define DESK_IS_TIMED 0x00
#define DESK_ENTRY 0x08
#define DESK_KINDS 0x10   // how many of DESK_ENTRIES there are
#define DESK_TIMINGS 0x18 // of each kind
#define DESK_KIND 0x20    // where the harness is
#define DESK_ROUND 0x28   // below zero: warming up
#define DESK_CURSOR 0x30  // where its next result goes
#define DESK_START 0x38
#define DESK_SAVED 0x40   // rax, while an address is logged
#define DESK_MAPPED 0x48  // mmap's answer
#define DESK_PROBLEM 0x50 // the child's: a step of `Confinement`, and errno
#define DESK_ERROR 0x58
#define DESK_COUNTER 0x60 // of rdpmc
#define DESK_TURNS 0x68   // of this kind's chains
#define DESK_WARM_UP 0x70 // rounds before the timings, 1 at least
#define DESK_ENTRIES 0x80 // of each kind, 8 at most
#define DESK_CHAINS 0xc0  // turns of each kind's chains
#define DESK_USAGE_BEFORE 0x100
#define DESK_USAGE_AFTER 0x200
#define DESK_RESULTS 0x400 // pairs: clock units of the block, of the chain of additions behind it

#define PROBE_ADDITIONS 600
#define CHAIN_TURNS 64
#define SHORT_CHAIN_TURNS 16
#define CHAIN_ADDITIONS 64 // a turn

// Kinds of timings: nothing at all, copies of the block, and additions that need nothing of one another.
#define KIND_EMPTY 0
#define KIND_FEWER 1
#define KIND_MORE 2
#define KIND_PROBE 3
#define KIND_NAIVE 4 // the last: it may be left out, or be of a third number of copies
#define KINDS 5

// Stage: plugin -> object file. The *unit*: what the plugin says about one translation unit, as one
// position-independent constant blob in the ELF section `dprof_units`. The linker concatenates the units of all objects
// (each 16-byte aligned); `__start_dprof_units`/`__stop_dprof_units` bound them. Nothing in a unit needs relocation:
// every reference is an index or an offset inside the same unit. All integers are little-endian.
//
//   UnitHeader | strings | types | members | variables | functions | slots | records | regions | nodes | edges |
//   refusals | files | positions | calls | system files
//
// Strings are NUL-terminated UTF-8; string offset 0 is "". Index 0 of types, variables, functions, positions and calls
// means "unknown" and is a zero-filled entry, so that real entries start at 1.
//
// History: version 4 says in which folder each file was compiled, where code was inlined, which call follows a record,
// who receives allocated memory, and which files are the system's. Version 3 had none of these; it is not read any
// more.
#ifndef DPROF_UNIT_FORMAT_H
#define DPROF_UNIT_FORMAT_H

#include <stdint.h>

#define DPROF_UNIT_MAGIC 0x31555044u /* "DPU1" */
#define DPROF_UNIT_VERSION 4u

struct dprof_unit_header {
  uint32_t magic;
  uint32_t version;
  uint32_t size_bytes; // whole unit, this header included; a multiple of 16
  uint32_t source;     // string: the main source file
  uint32_t strings_offset, strings_bytes;
  uint32_t types_offset, types_count; // counts include the zero entry
  uint32_t members_offset, members_count;
  uint32_t variables_offset, variables_count;
  uint32_t functions_offset, functions_count;
  uint32_t slots_offset, slots_count;
  uint32_t records_offset, records_count;
  uint32_t regions_offset, regions_count; // entries, fillers included
  uint32_t nodes_offset, nodes_count;
  uint32_t edges_offset, edges_count;
  uint32_t refusals_offset, refusals_count;
  uint32_t files_offset, files_count;
  uint32_t positions_offset, positions_count;
  uint32_t calls_offset, calls_count;
  uint32_t system_files_offset, system_files_count;
};

// Every `file` below is a string: the name that the compiler was given. The file is DIRECTORY/NAME if this table has
// that very string, whose directory is the compiler's, after -ffile-prefix-map. Two files that are called alike have
// two strings with the same bytes, and a row each.
struct dprof_file {
  uint32_t name;
  uint32_t directory; // string
};

enum dprof_type_kind {
  DPROF_TYPE_UNKNOWN = 0,
  DPROF_TYPE_SCALAR = 1,  // int, double, char, bool, enum ...
  DPROF_TYPE_POINTER = 2, // a scalar whose name is spelled "struct T *"
  DPROF_TYPE_STRUCT = 3,
  DPROF_TYPE_UNION = 4,
  DPROF_TYPE_CLASS = 5,
  DPROF_TYPE_ARRAY = 6 // `element` and size_bytes; all dimensions folded: int a[3][4] is 12 ints, spelled "int[]"
};

struct dprof_type {
  uint64_t size_bytes; // 0: unknown (opaque), or a flexible array
  // A string: the name as its language spells it, "struct args", "ns::Node", "int". The name of a typedef is used only
  // for a type that has no tag of its own.
  uint32_t name;
  uint8_t kind;
  uint8_t reserved[3];
  uint32_t element;      // type index: arrays
  uint32_t first_member; // structs, unions, classes
  uint32_t member_count;
  uint32_t file; // string: where it is declared
  uint32_t line;
  uint32_t reserved2;
};

enum { DPROF_MEMBER_BASE_CLASS = 1, DPROF_MEMBER_BIT_FIELD = 2 };

struct dprof_member {
  uint64_t offset_bytes; // of the storage unit, for a bit-field
  uint32_t name;         // string; "" for an anonymous struct or union (its members are spelled as the outer's)
  uint32_t type;
  uint32_t flags;
  // For a bit-field: its first bit, counted from offset_bytes, << 16 | its number of bits. 0 for any other member, and
  // in older units.
  uint32_t bits;
};

enum dprof_variable_kind {
  DPROF_VARIABLE_UNKNOWN = 0,
  DPROF_VARIABLE_GLOBAL = 1, // static ones too
  DPROF_VARIABLE_THREAD_LOCAL = 2,
  DPROF_VARIABLE_STACK = 3 // locals and parameters
};

struct dprof_variable {
  uint64_t size_bytes;
  uint32_t name; // string
  uint32_t type;
  uint8_t kind;
  uint8_t alignment; // of a global: 1 + its binary logarithm; 0: unknown, as in older units
  uint8_t reserved[2];
  uint32_t file; // string
  uint32_t line;
  uint32_t function; // of a local; 0 otherwise
};

struct dprof_function {
  uint32_t name; // string: as the source spells it, "ns::f" for C++ (no parameters)
  uint32_t linkage_name;
  uint32_t file;
  uint32_t line;
};

// A slot is one static access. Its words, in order:
//   LOAD STORE      address
//   ATOMIC_*        address, stamp      (always the last slot of its record)
//   COPY_LOAD       source address      } a copy is two slots in this order; the length is in the COPY_STORE
//   COPY_STORE      destination address [, length if size_bytes is DPROF_SIZE_DYNAMIC]
//   FILL            destination address [, length if size_bytes is DPROF_SIZE_DYNAMIC]
//   SCAN            source address [, length if size_bytes is DPROF_SIZE_DYNAMIC]
//   MASKED_LOAD MASKED_STORE   address, mask (bit i: lane i is active; lane i is at address + i * size_bytes)
//   GATHER SCATTER  lanes x address (0: the lane is inactive)
//   OBJECT          address             (a stack variable that escapes comes to life; no reference)
//   VALUE           value: the first `size_bytes` (at most 8) bytes of it, zero-extended
//   ARGUMENT        value, in the same way
//
// The VALUE of a LOAD or STORE is the value loaded or stored; its slot stands right behind that of the access. The
// VALUE of an atomic is the value loaded or stored, or the operand of an update; its slot stands right before the
// atomic's, which is always the last. An ARGUMENT is a value that the function is given; its `variable` is the
// parameter. Only records with ENTRY have such slots, before all accesses.
enum dprof_slot_kind {
  // The one slot of an ALLOCATION or FREE record. It is no access: it says type, offset (array cookie), function and
  // line of the site.
  DPROF_SLOT_SITE = 0,
  DPROF_SLOT_LOAD = 1,
  DPROF_SLOT_STORE = 2,
  DPROF_SLOT_ATOMIC_LOAD = 3,   // a load; acquire
  DPROF_SLOT_ATOMIC_STORE = 4,  // a store; release
  DPROF_SLOT_ATOMIC_UPDATE = 5, // read-modify-write with an unused result; release
  DPROF_SLOT_ATOMIC_RESULT = 6, // read-modify-write with a used result; both
  DPROF_SLOT_COPY_LOAD = 7,
  DPROF_SLOT_COPY_STORE = 8,
  DPROF_SLOT_FILL = 9,
  DPROF_SLOT_MASKED_LOAD = 10,
  DPROF_SLOT_MASKED_STORE = 11,
  DPROF_SLOT_GATHER = 12,
  DPROF_SLOT_SCATTER = 13,
  DPROF_SLOT_OBJECT = 14,
  DPROF_SLOT_SCAN = 15, // a block that is only read, as strlen does: a load for each of its lines
  DPROF_SLOT_VALUE = 16,
  DPROF_SLOT_ARGUMENT = 17
};

// The address (the first word of a slot that is not SITE, GATHER, SCATTER, VALUE or ARGUMENT) may be *derived*: it is
// the address of another slot plus a constant, and is not in the event stream. All other words are logged.
#define DPROF_SIZE_DYNAMIC 0xffffffffu
#define DPROF_OFFSET_UNKNOWN 0xffffffffu

struct dprof_slot {
  uint32_t size_bytes; // of the access; of one lane for masked, gathered and scattered ones
  uint32_t type;       // outermost known struct, union or class; else the scalar type; 0 unknown
  uint32_t offset;     // bytes into `type`; DPROF_OFFSET_UNKNOWN if not known
  // String: field path in `type` ("lock.owner", "slots[].key"); "" for the whole or a scalar. Of an ALLOCATION: its
  // receiver, as in dprof_position.
  uint32_t path;
  uint32_t variable; // the named global, thread-local or stack variable accessed; 0 none
  uint32_t function; // the function to which the source line belongs: of inlined code, the inlined function
  uint32_t file;     // string
  uint32_t line;
  uint16_t column;
  uint16_t lanes; // number of lanes of a masked, gathered or scattered access; else 1
  uint8_t kind;
  uint8_t reserved[3];
  // For a derived slot: 1 + the index of the slot that its address is derived from. That slot is not derived itself and
  // stands before it in every path. 0 if the slot is not derived.
  uint32_t base;
  // The address of a derived slot is that of `base` + delta. Any other slot in a LOOP region has its stride, the bytes
  // from one iteration to the next; DPROF_STRIDE_LOGGED if the stride is the word behind its address.
  int32_t delta;
  uint32_t inlined_at; // position: the call in whose place the slot's function was inlined; 0: it was not inlined
};
#define DPROF_STRIDE_LOGGED INT32_MIN

// A record is what the program leaves at one place: a segment, a site or a function boundary.
enum dprof_record_tag {
  DPROF_RECORD_SEGMENT = 1,    // a segment: its slots and its `instructions`; the flags are below
  DPROF_RECORD_ALLOCATION = 2, // an allocation call has returned: words address, size in bytes; slot 0: type and site
  DPROF_RECORD_FREE = 3,       // a free call follows: word address; slot 0: the site
  DPROF_RECORD_MARKER = 4      // a function's entry or exit without references, with OBJECT slots if there are any
};

enum {
  DPROF_RECORD_ENTRY = 1,   // the function is entered at this record
  DPROF_RECORD_EXIT = 2,    // the function is left after this record
  DPROF_RECORD_STAMPED = 4, // the last word is the stamp of the atomic in the last slot; always the path's last record
  DPROF_RECORD_FRAME = 8    // the function has OBJECT slots: its exits end their lives
};

struct dprof_record {
  uint8_t tag;
  uint8_t flags;
  uint16_t slot_count;
  uint32_t words;        // words of its slots, or of its tag; derived addresses and the stamp count too
  uint32_t instructions; // IR instructions of the segment; 0 for the other tags
  uint32_t function;     // the function whose body contains it: of inlined code, the caller
  uint32_t first_slot;
  uint32_t call; // the call that follows the record at once; 0: none, or one that records nothing
  uint32_t reserved[2];
};

// A *region* is a piece of a function's control flow with one way in, no cycle, and no call between its begin and its
// end that may record. One pass through it is a *path*: the records of the nodes passed, in order. A header word of the
// event stream is the address of a region's entry plus the number of the path, which is below `path_count`. An entry
// has 32 bytes, so a region with more than 32 paths has fillers behind its entry, (path_count + 31) / 32 entries in
// all. Thus header words of different regions differ.
struct dprof_region {
  uint32_t path_count; // 0: a filler
  uint32_t first_node, node_count;
  uint32_t back; // of a filler: how many entries back its region's own entry is; else 0
  uint32_t flags;
  uint32_t reserved[3];
};

// A LOOP region stands for all iterations of an innermost loop. Each iteration makes the same records, those of the one
// node, at addresses that move by a constant from iteration to iteration. Its slots are LOAD, STORE, and COPY_LOAD,
// COPY_STORE and FILL of a static size. The words behind the header are the number of whole iterations, then, for each
// slot that is not derived, its address in the first iteration, and its stride if that is not static. If the loop was
// left in the middle of an iteration, the path's number says how many records of that iteration it has; it is below
// `record_count`.
enum { DPROF_REGION_LOOP = 1 };

// Nodes of a region are in topological order; a path begins at its first one. Path numbers are Ball and Larus'
// (Efficient Path Profiling, MICRO 1996). To find the path of number `p`: at a node, if ENDS is set and p is 0, the
// path ends here; else take the last edge with `before` <= p, subtract its `before` from p, and go on at its node. A
// node without ENDS has an edge.
//
// The logged words of a node's records lie one after the other in the event stream, behind the header word from word
// `first_word` on (0: right behind it). Where ways of different lengths join, the shorter one leaves a gap before
// `first_word`, which nobody reads. A path takes 1 + (the end of its last node's words) words of the stream. It has at
// most DPROF_SLOTS_PER_WORD slots for each of these words.
struct dprof_node {
  uint32_t first_record, record_count; // a node may have no record
  uint32_t first_word;
  uint32_t first_edge, edge_count;
  uint32_t flags;
};
enum { DPROF_NODE_ENDS = 1 };
#define DPROF_SLOTS_PER_WORD 4

struct dprof_edge {
  uint32_t node;   // counted from the region's first node; greater than the node the edge leaves
  uint32_t before; // how many path numbers come before those of this edge; rises along the edges of a node
};

// A place of a call in the source.
struct dprof_position {
  uint32_t function; // the function whose text it is
  uint32_t file;     // string
  uint32_t line;
  uint16_t column;
  uint16_t reserved;
  uint32_t inlined_at; // position: where that function was inlined in turn; 0: it was not
  // String: the variable or field that receives the call's result ("u", "grid.cells"), or the variable whose method is
  // called; "" if unknown. "return": the function returns the memory as `void *`, `double *` or the like, so it
  // allocates for others; "return[]" if it stores it to an element of what it returns. "return p": its own name of it.
  uint32_t receiver;
};

// A call that a path ends at.
struct dprof_call {
  uint32_t function; // the function whose body contains it
  uint32_t position;
  uint32_t callee; // string: linkage name; "" for an indirect call
};

// Accesses of the unit that are not recorded, and why. Counts are of instructions in the program's text, not of
// executions.
struct dprof_refusal {
  uint32_t reason; // string
  uint32_t count;
};

// The section `dprof_globals` has one of these for each global variable defined here. The linker fills in the address.
struct dprof_global {
  const void *address;
  const struct dprof_variable *variable; // inside the unit
};

#ifdef __cplusplus
#define DPROF_ASSERT_SIZE(type, bytes) static_assert(sizeof(struct type) == bytes, #type)
#else
#define DPROF_ASSERT_SIZE(type, bytes) _Static_assert(sizeof(struct type) == bytes, #type)
#endif
DPROF_ASSERT_SIZE(dprof_unit_header, 136);
DPROF_ASSERT_SIZE(dprof_file, 8);
DPROF_ASSERT_SIZE(dprof_type, 40);
DPROF_ASSERT_SIZE(dprof_member, 24);
DPROF_ASSERT_SIZE(dprof_variable, 32);
DPROF_ASSERT_SIZE(dprof_function, 16);
DPROF_ASSERT_SIZE(dprof_slot, 52);
DPROF_ASSERT_SIZE(dprof_record, 32);
DPROF_ASSERT_SIZE(dprof_region, 32);
DPROF_ASSERT_SIZE(dprof_node, 24);
DPROF_ASSERT_SIZE(dprof_edge, 8);
DPROF_ASSERT_SIZE(dprof_refusal, 8);
DPROF_ASSERT_SIZE(dprof_position, 24);
DPROF_ASSERT_SIZE(dprof_call, 12);
DPROF_ASSERT_SIZE(dprof_global, 16);

#endif

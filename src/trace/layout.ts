// Stage: trace -> replay. The structs of runtime/include/dprof as offsets. test/trace/layout.test.ts compiles a probe
// and compares.

export { Allocator, EventCode, Lost, MARK_TEXT_BYTES, MarkKind, Sync, Unseen } from './event-table.js';

export const TRACE_MAGIC = 'DPROFTRC';
export const TRACE_VERSION = 3;
export const TRACE_VERSION_NAMES: readonly string[] = ['', 'first', 'paths', 'loops'];
export const CHUNK_MAGIC = 0x4b435044;
export const CHUNK_MAX_BYTES = 64 << 20;
export const UNIT_MAGIC = 0x31555044;
export const UNIT_VERSION = 4;
export const SIZE_DYNAMIC = 0xffffffff;
/** `delta` of a slot in a LOOP region: its stride is a word of its own. */
export const STRIDE_LOGGED = -0x8000_0000;
export const OFFSET_UNKNOWN = 0xffffffff;
export const TRACE_FLAG_ASLR = 1;
/**
 * Path numbers that one entry of the regions table stands for: its bytes, since a header word is its address plus a
 * path number.
 */
export const PATHS_PER_ENTRY = 32;

export const ChunkKind = {
  process: 1,
  module: 2,
  events: 3,
  end: 4,
  mappings: 5,
  restart: 6,
  commonModule: 7,
} as const;

export const SlotKind = {
  site: 0,
  load: 1,
  store: 2,
  atomicLoad: 3,
  atomicStore: 4,
  atomicUpdate: 5,
  atomicResult: 6,
  copyLoad: 7,
  copyStore: 8,
  fill: 9,
  maskedLoad: 10,
  maskedStore: 11,
  gather: 12,
  scatter: 13,
  object: 14,
  scan: 15,
  value: 16,
  argument: 17,
} as const;

/** Of accesses that store; an atomic that loads and stores is one. */
export const STORE_KINDS: readonly number[] = [
  SlotKind.store,
  SlotKind.atomicStore,
  SlotKind.atomicUpdate,
  SlotKind.atomicResult,
  SlotKind.copyStore,
  SlotKind.fill,
  SlotKind.maskedStore,
  SlotKind.scatter,
];

export const RecordTag = { segment: 1, allocation: 2, free: 3, marker: 4 } as const;
export const RecordFlag = { entry: 1, exit: 2, stamped: 4, frame: 8 } as const;
export const NodeFlag = { ends: 1 } as const;
export const RegionFlag = { loop: 1 } as const;
export const VariableKind = { unknown: 0, global: 1, threadLocal: 2, stack: 3 } as const;
export const MemberFlag = { baseClass: 1, bitField: 2 } as const;

/** The memory of a mapping: a file, a System V segment, or memory that is not shared. */
export const MappingKind = { none: 0, file: 1, sysv: 2 } as const;

/** Sizes and member offsets, by the names of the C structs. */
export const LAYOUT = {
  dprof_trace_header: {
    size: 64,
    magic: 0,
    version: 8,
    header_bytes: 12,
    features: 16,
    stamps_per_second: 24,
    start_time_ns: 32,
    architecture: 40,
    flags: 44,
    page_bytes: 48,
    pid: 52,
    reserved: 56,
    checksum: 60,
  },
  dprof_chunk_header: {
    size: 32,
    magic: 0,
    kind: 4,
    flags: 6,
    thread: 8,
    sequence: 12,
    payload_bytes: 16,
    payload_checksum: 20,
    reserved: 24,
    header_checksum: 28,
  },
  dprof_chunk_module: { size: 16, module: 0, path_bytes: 4, globals_count: 8, build_id_bytes: 12 },
  dprof_chunk_global: { size: 16, address: 0, unit: 8, variable: 12 },
  dprof_chunk_module_home: {
    size: 24,
    start_time_ns: 0,
    pid: 8,
    module: 12,
    units_checksum: 16,
    file_bytes: 20,
  },
  dprof_chunk_events: { size: 8, steps: 0, events: 4 },
  dprof_chunk_mapping: {
    size: 56,
    stamp: 0,
    address: 8,
    bytes: 16,
    device: 24,
    inode: 32,
    offset: 40,
    kind: 48,
    reserved: 52,
  },
  dprof_unit_header: {
    size: 136,
    magic: 0,
    version: 4,
    size_bytes: 8,
    source: 12,
    strings_offset: 16,
    strings_bytes: 20,
    types_offset: 24,
    types_count: 28,
    members_offset: 32,
    members_count: 36,
    variables_offset: 40,
    variables_count: 44,
    functions_offset: 48,
    functions_count: 52,
    slots_offset: 56,
    slots_count: 60,
    records_offset: 64,
    records_count: 68,
    regions_offset: 72,
    regions_count: 76,
    nodes_offset: 80,
    nodes_count: 84,
    edges_offset: 88,
    edges_count: 92,
    refusals_offset: 96,
    refusals_count: 100,
    files_offset: 104,
    files_count: 108,
    positions_offset: 112,
    positions_count: 116,
    calls_offset: 120,
    calls_count: 124,
    system_files_offset: 128,
    system_files_count: 132,
  },
  dprof_file: { size: 8, name: 0, directory: 4 },
  dprof_type: {
    size: 40,
    size_bytes: 0,
    name: 8,
    kind: 12,
    element: 16,
    first_member: 20,
    member_count: 24,
    file: 28,
    line: 32,
  },
  dprof_member: { size: 24, offset_bytes: 0, name: 8, type: 12, flags: 16, bits: 20 },
  dprof_variable: {
    size: 32,
    size_bytes: 0,
    name: 8,
    type: 12,
    kind: 16,
    alignment: 17,
    file: 20,
    line: 24,
    function: 28,
  },
  dprof_function: { size: 16, name: 0, linkage_name: 4, file: 8, line: 12 },
  dprof_slot: {
    size: 52,
    size_bytes: 0,
    type: 4,
    offset: 8,
    path: 12,
    variable: 16,
    function: 20,
    file: 24,
    line: 28,
    column: 32,
    lanes: 34,
    kind: 36,
    base: 40,
    delta: 44,
    inlined_at: 48,
  },
  dprof_record: {
    size: 32,
    tag: 0,
    flags: 1,
    slot_count: 2,
    words: 4,
    instructions: 8,
    function: 12,
    first_slot: 16,
    call: 20,
  },
  dprof_region: { size: 32, path_count: 0, first_node: 4, node_count: 8, back: 12, flags: 16 },
  dprof_node: { size: 24, first_record: 0, record_count: 4, first_word: 8, first_edge: 12, edge_count: 16, flags: 20 },
  dprof_edge: { size: 8, node: 0, before: 4 },
  dprof_refusal: { size: 8, reason: 0, count: 4 },
  dprof_position: { size: 24, function: 0, file: 4, line: 8, column: 12, inlined_at: 16, receiver: 20 },
  dprof_call: { size: 12, function: 0, position: 4, callee: 8 },
  dprof_global: { size: 16, address: 0, variable: 8 },
} as const;

// Stage: trace -> replay. One unit (what the plugin said about a translation unit) as bytes to columns. Every index and
// offset is checked against its own unit before anything is read through it.

import { LAYOUT, NodeFlag, RegionFlag, SlotKind } from './layout.js';
import { TraceError } from './trace-error.js';
import type { UnitColumns } from './unit.js';
import { UnitBytes } from './unit-bytes.js';
import { UnitTable } from './unit-table.js';

const HEAD = LAYOUT.dprof_unit_header;
const TYPE = LAYOUT.dprof_type;
const MEMBER = LAYOUT.dprof_member;
const VARIABLE = LAYOUT.dprof_variable;
const FUNCTION = LAYOUT.dprof_function;
const SLOT = LAYOUT.dprof_slot;
const RECORD = LAYOUT.dprof_record;
const REGION = LAYOUT.dprof_region;
const NODE = LAYOUT.dprof_node;
const EDGE = LAYOUT.dprof_edge;
const REFUSAL = LAYOUT.dprof_refusal;
const FILE = LAYOUT.dprof_file;
const POSITION = LAYOUT.dprof_position;
const CALL = LAYOUT.dprof_call;
const STRING_BYTES = 4;
const ALIGNMENT = 16;
/** 1 + the binary logarithm of LLVM's largest. */
const MOST_ALIGNMENT = 33;
const SLOT_KINDS: ReadonlySet<number> = new Set(Object.values(SlotKind));

/** The units of a module in section order. Offsets in errors are into the unpacked section. */
export function readUnits(section: Uint8Array): UnitColumns[] {
  return splitUnits(section).map(({ at, bytes }) => readUnit(new UnitBytes(bytes, at)));
}

/** The bytes of each unit. */
export function splitUnits(section: Uint8Array): { readonly at: number; readonly bytes: Buffer }[] {
  const bytes = Buffer.from(section.buffer, section.byteOffset, section.length);
  const units: { at: number; bytes: Buffer }[] = [];
  let at = 0;
  while (at < bytes.length) {
    if (bytes.length - at >= ALIGNMENT && bytes.subarray(at, at + ALIGNMENT).every((byte) => byte === 0)) {
      at += ALIGNMENT; // a linker's padding
      continue;
    }
    if (bytes.length - at < HEAD.size)
      throw new TraceError('unit header in the units column', at, `${HEAD.size} bytes`, `${bytes.length - at}`);
    const size = bytes.readUInt32LE(at + HEAD.size_bytes);
    if (size < HEAD.size || size % ALIGNMENT !== 0 || size > bytes.length - at) {
      throw new TraceError(
        'unit size in the units column',
        at + HEAD.size_bytes,
        `a multiple of ${ALIGNMENT} from ${HEAD.size} to ${bytes.length - at}`,
        `${size}`,
      );
    }
    units.push({ at, bytes: bytes.subarray(at, at + size) });
    at += size;
  }
  return units;
}

function readUnit(unit: UnitBytes): UnitColumns {
  const files = new UnitTable(unit, HEAD.files_offset, FILE.size);
  for (let row = 0; row < files.count; row++)
    unit.addDirectory(files.at(row, FILE.name), files.at(row, FILE.directory));
  const functions = readFunctions(unit);
  const [, typeCount] = unit.locate(HEAD.types_offset, TYPE.size);
  const [, memberCount] = unit.locate(HEAD.members_offset, MEMBER.size);
  const members = readMembers(unit, typeCount);
  const types = readTypes(unit, memberCount);
  const variables = readVariables(unit, typeCount, functions.count);
  const positions = readPositions(unit, functions.count);
  const calls = readCalls(unit, functions.count, positions.count);
  const slots = readSlots(unit, typeCount, variables.count, functions.count, positions.count);
  const records = readRecords(unit, functions.count, slots.count, calls.count);
  const regions = readRegions(unit, records.count);
  const systemFiles = new UnitTable(unit, HEAD.system_files_offset, STRING_BYTES).files(0);
  return {
    source: unit.string(HEAD.source),
    types,
    members,
    variables,
    functions,
    slots,
    records,
    ...regions,
    positions,
    calls,
    systemFiles: Array.from(systemFiles, (file) => unit.files[file]),
    files: unit.files,
  };
}

function readFunctions(unit: UnitBytes): UnitColumns['functions'] {
  const table = new UnitTable(unit, HEAD.functions_offset, FUNCTION.size);
  return {
    count: table.count,
    name: table.strings(FUNCTION.name),
    linkageName: table.strings(FUNCTION.linkage_name),
    file: table.files(FUNCTION.file),
    line: table.u32(FUNCTION.line),
  };
}

function readMembers(unit: UnitBytes, typeCount: number): UnitColumns['members'] {
  const table = new UnitTable(unit, HEAD.members_offset, MEMBER.size);
  return {
    count: table.count,
    name: table.strings(MEMBER.name),
    type: table.indexes(MEMBER.type, typeCount, 'type of a member'),
    offsetBytes: table.sizes(MEMBER.offset_bytes),
    flags: table.u32(MEMBER.flags),
    bits: table.u32(MEMBER.bits),
  };
}

function readTypes(unit: UnitBytes, memberCount: number): UnitColumns['types'] {
  const table = new UnitTable(unit, HEAD.types_offset, TYPE.size);
  const counts = table.u32(TYPE.member_count);
  return {
    count: table.count,
    name: table.strings(TYPE.name),
    kind: table.limited(TYPE.kind, 6, 'type kind'),
    sizeBytes: table.sizes(TYPE.size_bytes),
    element: table.indexes(TYPE.element, table.count, 'element type'),
    firstMember: table.firsts(TYPE.first_member, counts, memberCount, 'members of a type'),
    memberCount: counts,
    file: table.files(TYPE.file),
    line: table.u32(TYPE.line),
  };
}

function readVariables(unit: UnitBytes, typeCount: number, functionCount: number): UnitColumns['variables'] {
  const table = new UnitTable(unit, HEAD.variables_offset, VARIABLE.size);
  return {
    count: table.count,
    name: table.strings(VARIABLE.name),
    type: table.indexes(VARIABLE.type, typeCount, 'type of a variable'),
    kind: table.limited(VARIABLE.kind, 3, 'variable kind'),
    sizeBytes: table.sizes(VARIABLE.size_bytes),
    alignment: table.limited(VARIABLE.alignment, MOST_ALIGNMENT, 'alignment of a variable'),
    file: table.files(VARIABLE.file),
    line: table.u32(VARIABLE.line),
    function: table.indexes(VARIABLE.function, functionCount, 'function of a variable'),
  };
}

function readPositions(unit: UnitBytes, functionCount: number): UnitColumns['positions'] {
  const table = new UnitTable(unit, HEAD.positions_offset, POSITION.size);
  return {
    count: table.count,
    function: table.indexes(POSITION.function, functionCount, 'function of a position'),
    file: table.files(POSITION.file),
    line: table.u32(POSITION.line),
    column: table.u16(POSITION.column),
    // What it was inlined into stands before it, so nobody walks for ever.
    inlinedAt: table.indexesBefore(POSITION.inlined_at, 'position of a position'),
    receiver: table.strings(POSITION.receiver),
  };
}

function readCalls(unit: UnitBytes, functionCount: number, positionCount: number): UnitColumns['calls'] {
  const table = new UnitTable(unit, HEAD.calls_offset, CALL.size);
  return {
    count: table.count,
    function: table.indexes(CALL.function, functionCount, 'function of a call'),
    position: table.indexes(CALL.position, positionCount, 'position of a call'),
    callee: table.strings(CALL.callee),
  };
}

function readSlots(
  unit: UnitBytes,
  typeCount: number,
  variableCount: number,
  functionCount: number,
  positionCount: number,
): UnitColumns['slots'] {
  const table = new UnitTable(unit, HEAD.slots_offset, SLOT.size);
  return {
    count: table.count,
    kind: table.oneOf(SLOT.kind, SLOT_KINDS, 'slot kind'),
    sizeBytes: table.u32(SLOT.size_bytes),
    lanes: table.u16(SLOT.lanes),
    type: table.indexes(SLOT.type, typeCount, 'type of a slot'),
    offset: table.u32(SLOT.offset),
    path: table.strings(SLOT.path),
    variable: table.indexes(SLOT.variable, variableCount, 'variable of a slot'),
    function: table.indexes(SLOT.function, functionCount, 'function of a slot'),
    file: table.files(SLOT.file),
    line: table.u32(SLOT.line),
    column: table.u16(SLOT.column),
    base: table.indexes(SLOT.base, table.count + 1, 'base of a slot'),
    delta: table.i32(SLOT.delta),
    inlinedAt: table.indexes(SLOT.inlined_at, positionCount, 'position of a slot'),
  };
}

function readRecords(
  unit: UnitBytes,
  functionCount: number,
  slotCount: number,
  callCount: number,
): UnitColumns['records'] {
  const table = new UnitTable(unit, HEAD.records_offset, RECORD.size);
  const slotCounts = table.u16(RECORD.slot_count);
  return {
    count: table.count,
    tag: table.u8(RECORD.tag),
    flags: table.u8(RECORD.flags),
    slotCount: slotCounts,
    words: table.u32(RECORD.words),
    instructions: table.u32(RECORD.instructions),
    function: table.indexes(RECORD.function, functionCount, 'function of a record'),
    firstSlot: table.firsts(RECORD.first_slot, slotCounts, slotCount, 'slots of a record'),
    call: table.indexes(RECORD.call, callCount, 'call of a record'),
  };
}

function readRegions(
  unit: UnitBytes,
  recordCount: number,
): Pick<UnitColumns, 'regions' | 'nodes' | 'edges' | 'refusals'> {
  const edges = new UnitTable(unit, HEAD.edges_offset, EDGE.size);
  const ofEdges = { count: edges.count, node: edges.u32(EDGE.node), before: edges.u32(EDGE.before) };
  const nodes = new UnitTable(unit, HEAD.nodes_offset, NODE.size);
  const [recordCounts, edgeCounts] = [nodes.u32(NODE.record_count), nodes.u32(NODE.edge_count)];
  const ofNodes = {
    count: nodes.count,
    firstRecord: nodes.firsts(NODE.first_record, recordCounts, recordCount, 'records of a node'),
    recordCount: recordCounts,
    firstWord: nodes.u32(NODE.first_word),
    firstEdge: nodes.firsts(NODE.first_edge, edgeCounts, edges.count, 'edges of a node'),
    edgeCount: edgeCounts,
    ends: nodes.flag(NODE.flags, NodeFlag.ends),
  };
  const regions = new UnitTable(unit, HEAD.regions_offset, REGION.size);
  const nodeCounts = regions.u32(REGION.node_count);
  const ofRegions = {
    count: regions.count,
    pathCount: regions.u32(REGION.path_count),
    firstNode: regions.firsts(REGION.first_node, nodeCounts, nodes.count, 'nodes of a region'),
    nodeCount: nodeCounts,
    back: regions.u32(REGION.back),
    isLoop: regions.flag(REGION.flags, RegionFlag.loop),
  };
  const refusals = new UnitTable(unit, HEAD.refusals_offset, REFUSAL.size);
  const refusalCounts = refusals.u32(REFUSAL.count);
  return {
    regions: ofRegions,
    nodes: ofNodes,
    edges: ofEdges,
    refusals: refusals.strings(REFUSAL.reason).map((reason, row) => ({ reason, count: refusalCounts[row] })),
  };
}

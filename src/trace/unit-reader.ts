// Stage: trace -> replay. One unit (what the plugin said about a translation unit) as bytes to plain tables. Every
// index and offset is checked against its own unit before anything is read through it.

import { joinFile } from '../base/source-file.js';
import { LAYOUT, NodeFlag, RegionFlag, SlotKind, UNIT_MAGIC, UNIT_VERSION } from './layout.js';
import { TraceError } from './trace-error.js';
import type {
  Unit,
  UnitCall,
  UnitEdge,
  UnitFunction,
  UnitMember,
  UnitNode,
  UnitPosition,
  UnitRecord,
  UnitRefusal,
  UnitRegion,
  UnitSlot,
  UnitType,
  UnitVariable,
} from './unit.js';

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
const SLOT_KINDS: ReadonlySet<number> = new Set(Object.values(SlotKind));
const VERSION_HINT =
  'a part of the program was compiled by a dprof-cc of another version; compile all of it with this one, and ' +
  'record again';

/** The units of a module in section order. Offsets in errors are into the unpacked section. */
export function readUnits(section: Uint8Array): Unit[] {
  const bytes = Buffer.from(section.buffer, section.byteOffset, section.length);
  const units: Unit[] = [];
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
    units.push(new UnitBytes(bytes.subarray(at, at + size), at).read());
    at += size;
  }
  return units;
}

class UnitBytes {
  private readonly strings = new Map<number, string>();
  /** By the offset of the file's name. */
  private readonly directories = new Map<number, string>();
  private readonly stringsAt: number;
  private readonly stringsEnd: number;

  constructor(
    private readonly bytes: Buffer,
    private readonly offset: number,
  ) {
    if (this.u32(HEAD.magic) !== UNIT_MAGIC)
      throw this.error(
        'unit magic',
        HEAD.magic,
        `0x${UNIT_MAGIC.toString(16)}`,
        `0x${this.u32(HEAD.magic).toString(16)}`,
      );
    const version = this.u32(HEAD.version);
    if (version !== UNIT_VERSION)
      throw this.error('unit version', HEAD.version, `${UNIT_VERSION}`, `${version}`, VERSION_HINT);
    [this.stringsAt] = this.table(HEAD.strings_offset, 1);
    this.stringsEnd = this.stringsAt + this.u32(HEAD.strings_bytes);
  }

  read(): Unit {
    this.rows(HEAD.files_offset, FILE.size, (at) =>
      this.directories.set(this.u32(at + FILE.name), this.string(at + FILE.directory)),
    );
    const functions = this.rows(
      HEAD.functions_offset,
      FUNCTION.size,
      (at): UnitFunction => ({
        name: this.string(at + FUNCTION.name),
        linkageName: this.string(at + FUNCTION.linkage_name),
        file: this.file(at + FUNCTION.file),
        line: this.u32(at + FUNCTION.line),
      }),
    );
    const [, typeCount] = this.table(HEAD.types_offset, TYPE.size);
    const [, memberCount] = this.table(HEAD.members_offset, MEMBER.size);
    const members = this.rows(
      HEAD.members_offset,
      MEMBER.size,
      (at): UnitMember => ({
        name: this.string(at + MEMBER.name),
        type: this.index(at + MEMBER.type, typeCount, 'type of a member'),
        offsetBytes: this.u64(at + MEMBER.offset_bytes),
        flags: this.u32(at + MEMBER.flags),
        bits: this.u32(at + MEMBER.bits),
      }),
    );
    const types = this.rows(HEAD.types_offset, TYPE.size, (at): UnitType => {
      const count = this.u32(at + TYPE.member_count);
      return {
        name: this.string(at + TYPE.name),
        kind: this.limited(at + TYPE.kind, 6, 'type kind'),
        sizeBytes: this.u64(at + TYPE.size_bytes),
        element: this.index(at + TYPE.element, typeCount, 'element type'),
        firstMember: this.range(at + TYPE.first_member, count, memberCount, 'members of a type'),
        memberCount: count,
        file: this.file(at + TYPE.file),
        line: this.u32(at + TYPE.line),
      };
    });
    const variables = this.rows(
      HEAD.variables_offset,
      VARIABLE.size,
      (at): UnitVariable => ({
        name: this.string(at + VARIABLE.name),
        type: this.index(at + VARIABLE.type, typeCount, 'type of a variable'),
        kind: this.limited(at + VARIABLE.kind, 3, 'variable kind'),
        sizeBytes: this.u64(at + VARIABLE.size_bytes),
        file: this.file(at + VARIABLE.file),
        line: this.u32(at + VARIABLE.line),
        function: this.index(at + VARIABLE.function, functions.length, 'function of a variable'),
      }),
    );
    const positions = this.readPositions(functions.length);
    const calls = this.rows(
      HEAD.calls_offset,
      CALL.size,
      (at): UnitCall => ({
        function: this.index(at + CALL.function, functions.length, 'function of a call'),
        position: this.index(at + CALL.position, positions.length, 'position of a call'),
        callee: this.string(at + CALL.callee),
      }),
    );
    const [, slotCount] = this.table(HEAD.slots_offset, SLOT.size);
    const slots = this.rows(
      HEAD.slots_offset,
      SLOT.size,
      (at): UnitSlot => ({
        kind: this.oneOf(at + SLOT.kind, SLOT_KINDS, 'slot kind'),
        sizeBytes: this.u32(at + SLOT.size_bytes),
        lanes: this.bytes.readUInt16LE(at + SLOT.lanes),
        type: this.index(at + SLOT.type, typeCount, 'type of a slot'),
        offset: this.u32(at + SLOT.offset),
        path: this.string(at + SLOT.path),
        variable: this.index(at + SLOT.variable, variables.length, 'variable of a slot'),
        function: this.index(at + SLOT.function, functions.length, 'function of a slot'),
        file: this.file(at + SLOT.file),
        line: this.u32(at + SLOT.line),
        column: this.bytes.readUInt16LE(at + SLOT.column),
        base: this.index(at + SLOT.base, slotCount + 1, 'base of a slot'),
        delta: this.bytes.readInt32LE(at + SLOT.delta),
        inlinedAt: this.index(at + SLOT.inlined_at, positions.length, 'position of a slot'),
      }),
    );
    const records = this.rows(HEAD.records_offset, RECORD.size, (at): UnitRecord => {
      const slotCount = this.bytes.readUInt16LE(at + RECORD.slot_count);
      return {
        tag: this.bytes[at + RECORD.tag],
        flags: this.bytes[at + RECORD.flags],
        slotCount,
        words: this.u32(at + RECORD.words),
        instructions: this.u32(at + RECORD.instructions),
        function: this.index(at + RECORD.function, functions.length, 'function of a record'),
        firstSlot: this.range(at + RECORD.first_slot, slotCount, slots.length, 'slots of a record'),
        call: this.index(at + RECORD.call, calls.length, 'call of a record'),
      };
    });
    return {
      source: this.string(HEAD.source),
      types,
      members,
      variables,
      functions,
      slots,
      records,
      ...this.readRegions(records.length),
      positions,
      calls,
      systemFiles: this.rows(HEAD.system_files_offset, STRING_BYTES, (at) => this.file(at)),
    };
  }

  private readPositions(functionCount: number): UnitPosition[] {
    return this.rows(HEAD.positions_offset, POSITION.size, (at): UnitPosition => {
      const row = (at - this.table(HEAD.positions_offset, POSITION.size)[0]) / POSITION.size;
      return {
        function: this.index(at + POSITION.function, functionCount, 'function of a position'),
        file: this.file(at + POSITION.file),
        line: this.u32(at + POSITION.line),
        column: this.bytes.readUInt16LE(at + POSITION.column),
        // What it was inlined into stands before it, so nobody walks for ever.
        inlinedAt: this.index(at + POSITION.inlined_at, row, 'position of a position'),
        receiver: this.string(at + POSITION.receiver),
      };
    });
  }

  private readRegions(recordCount: number): Pick<Unit, 'regions' | 'nodes' | 'edges' | 'refusals'> {
    const edges = this.rows(
      HEAD.edges_offset,
      EDGE.size,
      (at): UnitEdge => ({ node: this.u32(at + EDGE.node), before: this.u32(at + EDGE.before) }),
    );
    const nodes = this.rows(HEAD.nodes_offset, NODE.size, (at): UnitNode => {
      const count = this.u32(at + NODE.record_count);
      const edgeCount = this.u32(at + NODE.edge_count);
      return {
        firstRecord: this.range(at + NODE.first_record, count, recordCount, 'records of a node'),
        recordCount: count,
        firstWord: this.u32(at + NODE.first_word),
        firstEdge: this.range(at + NODE.first_edge, edgeCount, edges.length, 'edges of a node'),
        edgeCount,
        ends: (this.u32(at + NODE.flags) & NodeFlag.ends) !== 0,
      };
    });
    const regions = this.rows(HEAD.regions_offset, REGION.size, (at): UnitRegion => {
      const nodeCount = this.u32(at + REGION.node_count);
      return {
        pathCount: this.u32(at + REGION.path_count),
        firstNode: this.range(at + REGION.first_node, nodeCount, nodes.length, 'nodes of a region'),
        nodeCount,
        back: this.u32(at + REGION.back),
        isLoop: (this.u32(at + REGION.flags) & RegionFlag.loop) !== 0,
      };
    });
    const refusals = this.rows(
      HEAD.refusals_offset,
      REFUSAL.size,
      (at): UnitRefusal => ({
        reason: this.string(at + REFUSAL.reason),
        count: this.u32(at + REFUSAL.count),
      }),
    );
    return { regions, nodes, edges, refusals };
  }

  private rows<Row>(field: number, rowBytes: number, readRow: (at: number) => Row): Row[] {
    const [start, count] = this.table(field, rowBytes);
    return Array.from({ length: count }, (_, index) => readRow(start + index * rowBytes));
  }

  /** [offset, count] of the table whose offset and count stand at `field`. */
  private table(field: number, rowBytes: number): [number, number] {
    const start = this.u32(field);
    const count = this.u32(field + 4);
    if (start + count * rowBytes > this.bytes.length) {
      throw this.error(
        'table of a unit',
        field,
        `within ${this.bytes.length} bytes`,
        `${count} rows of ${rowBytes} bytes from ${start}`,
      );
    }
    return [start, count];
  }

  private file(field: number): string {
    return joinFile(this.directories.get(this.u32(field)) ?? '', this.string(field));
  }

  private string(field: number): string {
    const at = this.u32(field);
    let text = this.strings.get(at);
    if (text === undefined) {
      const start = this.stringsAt + at;
      const end = start < this.stringsEnd ? this.bytes.indexOf(0, start) : -1;
      if (at === 0 && this.stringsAt === this.stringsEnd) text = '';
      else if (end < 0 || end >= this.stringsEnd)
        throw this.error(
          'string of a unit',
          field,
          `a terminated string within ${this.stringsEnd - this.stringsAt} bytes`,
          `offset ${at}`,
        );
      else text = this.bytes.toString('utf8', start, end);
      this.strings.set(at, text);
    }
    return text;
  }

  private index(field: number, count: number, what: string): number {
    const value = this.u32(field);
    if (value >= count && value !== 0) throw this.error(what, field, `below ${count}`, `${value}`);
    return value;
  }

  /** The first of `count` rows of a table. */
  private range(field: number, count: number, tableCount: number, what: string): number {
    const first = this.u32(field);
    if (first + count > tableCount) throw this.error(what, field, `within ${tableCount}`, `${count} from ${first}`);
    return first;
  }

  private limited(field: number, maximum: number, what: string): number {
    const value = this.bytes[field];
    if (value > maximum) throw this.error(what, field, `at most ${maximum}`, `${value}`);
    return value;
  }

  private oneOf(field: number, known: ReadonlySet<number>, what: string): number {
    const value = this.bytes[field];
    if (!known.has(value)) throw this.error(what, field, `one of ${[...known].join(', ')}`, `${value}`);
    return value;
  }

  private u32(at: number): number {
    return this.bytes.readUInt32LE(at);
  }

  private u64(at: number): number {
    const value = this.bytes.readBigUInt64LE(at);
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw this.error('size or offset', at, 'below 2^53', `${value}`);
    return Number(value);
  }

  private error(what: string, at: number, expected: string, actual: string, hint?: string): TraceError {
    return new TraceError(`${what} in the units column`, this.offset + at, expected, actual, hint);
  }
}

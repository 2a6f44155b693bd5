// Stage: plugin -> trace. The mirror of unit-reader.ts: plain tables to the bytes of one unit.

import { splitFile } from '../../src/base/source-file.js';
import { LAYOUT, NodeFlag, RegionFlag, UNIT_MAGIC, UNIT_VERSION } from '../../src/trace/layout.js';
import type { Unit } from '../../src/trace/unit.js';

const HEAD = LAYOUT.dprof_unit_header;
const ALIGNMENT = 16;

export function writeUnit(unit: Unit): Buffer {
  const strings = new StringPool();
  const tables: [number, Buffer][] = [
    [
      HEAD.types_offset,
      writeRows(unit.types, LAYOUT.dprof_type, strings, {
        size_bytes: (row) => BigInt(row.sizeBytes),
        name: 'name',
        kind: (row) => [row.kind],
        element: 'element',
        first_member: 'firstMember',
        member_count: 'memberCount',
        file: 'file',
        line: 'line',
      }),
    ],
    [
      HEAD.members_offset,
      writeRows(unit.members, LAYOUT.dprof_member, strings, {
        offset_bytes: (row) => BigInt(row.offsetBytes),
        name: 'name',
        type: 'type',
        flags: 'flags',
        bits: 'bits',
      }),
    ],
    [
      HEAD.variables_offset,
      writeRows(unit.variables, LAYOUT.dprof_variable, strings, {
        size_bytes: (row) => BigInt(row.sizeBytes),
        name: 'name',
        type: 'type',
        kind: (row) => [row.kind],
        alignment: (row) => [row.alignment],
        file: 'file',
        line: 'line',
        function: 'function',
      }),
    ],
    [
      HEAD.functions_offset,
      writeRows(unit.functions, LAYOUT.dprof_function, strings, {
        name: 'name',
        linkage_name: 'linkageName',
        file: 'file',
        line: 'line',
      }),
    ],
    [
      HEAD.slots_offset,
      writeRows(unit.slots, LAYOUT.dprof_slot, strings, {
        size_bytes: 'sizeBytes',
        type: 'type',
        offset: 'offset',
        path: 'path',
        variable: 'variable',
        function: 'function',
        file: 'file',
        line: 'line',
        column: (row) => [row.column & 255, row.column >> 8, row.lanes & 255, row.lanes >> 8, row.kind],
        base: 'base',
        delta: (row) => [row.delta & 255, (row.delta >> 8) & 255, (row.delta >> 16) & 255, (row.delta >> 24) & 255],
        inlined_at: 'inlinedAt',
      }),
    ],
    [
      HEAD.records_offset,
      writeRows(unit.records, LAYOUT.dprof_record, strings, {
        tag: (row) => [row.tag, row.flags, row.slotCount & 255, row.slotCount >> 8],
        words: 'words',
        instructions: 'instructions',
        function: 'function',
        first_slot: 'firstSlot',
        call: 'call',
      }),
    ],
    [
      HEAD.regions_offset,
      writeRows(unit.regions, LAYOUT.dprof_region, strings, {
        path_count: 'pathCount',
        first_node: 'firstNode',
        node_count: 'nodeCount',
        back: 'back',
        flags: (row) => [row.isLoop ? RegionFlag.loop : 0],
      }),
    ],
    [
      HEAD.nodes_offset,
      writeRows(unit.nodes, LAYOUT.dprof_node, strings, {
        first_record: 'firstRecord',
        record_count: 'recordCount',
        first_word: 'firstWord',
        first_edge: 'firstEdge',
        edge_count: 'edgeCount',
        flags: (row) => [row.ends ? NodeFlag.ends : 0],
      }),
    ],
    [HEAD.edges_offset, writeRows(unit.edges, LAYOUT.dprof_edge, strings, { node: 'node', before: 'before' })],
    [
      HEAD.refusals_offset,
      writeRows(unit.refusals, LAYOUT.dprof_refusal, strings, { reason: 'reason', count: 'count' }),
    ],
    [HEAD.files_offset, writeRows(strings.files, LAYOUT.dprof_file, strings, { name: 'name', directory: 'directory' })],
    [
      HEAD.positions_offset,
      writeRows(unit.positions, LAYOUT.dprof_position, strings, {
        function: 'function',
        file: 'file',
        line: 'line',
        column: (row) => [row.column & 255, row.column >> 8],
        inlined_at: 'inlinedAt',
        receiver: 'receiver',
      }),
    ],
    [
      HEAD.calls_offset,
      writeRows(unit.calls, LAYOUT.dprof_call, strings, {
        function: 'function',
        position: 'position',
        callee: 'callee',
      }),
    ],
    [
      HEAD.system_files_offset,
      writeRows(
        unit.systemFiles.map((name) => ({ name })),
        { size: 4, name: 0 },
        strings,
        { name: 'name' },
      ),
    ],
  ];
  const counts = [
    unit.types,
    unit.members,
    unit.variables,
    unit.functions,
    unit.slots,
    unit.records,
    unit.regions,
    unit.nodes,
    unit.edges,
    unit.refusals,
    strings.files,
    unit.positions,
    unit.calls,
    unit.systemFiles,
  ].map((rows) => rows.length);
  const source = strings.add(unit.source);
  const head = Buffer.alloc(align(HEAD.size));
  const pool = padded(strings.bytes());
  let at = head.length;
  head.writeUInt32LE(UNIT_MAGIC, HEAD.magic);
  head.writeUInt32LE(UNIT_VERSION, HEAD.version);
  head.writeUInt32LE(source, HEAD.source);
  head.writeUInt32LE(at, HEAD.strings_offset);
  head.writeUInt32LE(pool.length, HEAD.strings_bytes);
  at += pool.length;
  const bodies = [pool];
  tables.forEach(([field, rows], index) => {
    const body = padded(rows);
    head.writeUInt32LE(at, field);
    head.writeUInt32LE(counts[index], field + 4);
    at += body.length;
    bodies.push(body);
  });
  head.writeUInt32LE(at, HEAD.size_bytes);
  return Buffer.concat([head, ...bodies]);
}

type Column<Row> = keyof Row | ((row: Row) => bigint | number[]);

/**
 * Struct fields by their C names; each from a property (numbers as u32, strings as pool offsets), or from a function as
 * u64 or as bytes.
 */
function writeRows<Row>(
  rows: readonly Row[],
  layout: Readonly<Record<string, number>>,
  strings: StringPool,
  columns: Readonly<Record<string, Column<Row>>>,
): Buffer {
  const bytes = Buffer.alloc(rows.length * layout.size);
  rows.forEach((row, index) => {
    for (const [field, column] of Object.entries(columns)) {
      const at = index * layout.size + layout[field];
      const value = typeof column === 'function' ? column(row) : row[column];
      if (typeof value === 'bigint') bytes.writeBigUInt64LE(value, at);
      else if (Array.isArray(value)) bytes.set(value as number[], at);
      else if (column === 'file') bytes.writeUInt32LE(strings.addFile(value as string), at);
      else bytes.writeUInt32LE(typeof value === 'string' ? strings.add(value) : (value as number), at);
    }
  });
  return bytes;
}

class StringPool {
  private readonly offsets = new Map<string, number>([['', 0]]);
  private readonly parts: Buffer[] = [Buffer.alloc(1)];
  private length = 1;

  /** Of files with a directory; each has a string of its own. */
  readonly files: { readonly name: number; readonly directory: string }[] = [];

  /** A file as source-file.ts spells it. */
  addFile(file: string): number {
    const { directory, name } = splitFile(file);
    if (directory === '') return this.add(name);
    const known = this.offsets.get(file);
    if (known !== undefined) return known;
    const offset = this.append(name);
    this.offsets.set(file, offset);
    this.files.push({ name: offset, directory });
    return offset;
  }

  add(text: string): number {
    const known = this.offsets.get(text);
    if (known !== undefined) return known;
    const offset = this.append(text);
    this.offsets.set(text, offset);
    return offset;
  }

  private append(text: string): number {
    const offset = this.length;
    const part = Buffer.from(`${text}\0`, 'utf8');
    this.parts.push(part);
    this.length += part.length;
    return offset;
  }

  bytes(): Buffer {
    return Buffer.concat(this.parts);
  }
}

function align(bytes: number): number {
  return Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
}

function padded(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.alloc(align(bytes.length) - bytes.length)]);
}

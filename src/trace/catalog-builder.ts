// Stage: trace -> replay. The units of all modules to one frozen Catalog: types merged by kind, name and size,
// everything else renumbered in order. Units that contradict themselves are refused on the way.

import { TYPE_KINDS, type Catalog, type GlobalTable, type TypeTable } from '../contract/catalog.js';
import { PATHS_PER_ENTRY } from './layout.js';
import { buildLeafTable } from './leaf-table.js';
import type { ModuleChunk } from './module-chunk.js';
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
  UnitRegion,
  UnitSlot,
  UnitType,
  UnitVariable,
} from './unit.js';
import { readUnits } from './unit-reader.js';
import { checkRecord } from './unit-rules.js';
import { checkRegions } from './region-rules.js';

const ARRAY = TYPE_KINDS.indexOf('array');
const UNKNOWN_TYPE: UnitType = {
  name: '',
  kind: 0,
  sizeBytes: 0,
  element: 0,
  firstMember: 0,
  memberCount: 0,
  file: '',
  line: 0,
};
const UNKNOWN_VARIABLE: UnitVariable = { name: '', type: 0, kind: 0, sizeBytes: 0, file: '', line: 0, function: 0 };
const UNKNOWN_FUNCTION: UnitFunction = { name: '', linkageName: '', file: '', line: 0 };
const UNKNOWN_POSITION: UnitPosition = { function: 0, file: '', line: 0, column: 0, inlinedAt: 0, receiver: '' };
const UNKNOWN_CALL: UnitCall = { function: 0, position: 0, callee: '' };

export function buildCatalog(modules: readonly ModuleChunk[]): Catalog {
  const builder = new CatalogBuilder();
  for (const module of modules) builder.addModule(module);
  return builder.freeze();
}

/**
 * One catalog for programs that are replayed together, and the range of units and path numbers of each program in it.
 */
export function buildCatalogs(programs: readonly (readonly ModuleChunk[])[]): {
  catalog: Catalog;
  places: ProgramPlace[];
} {
  const builder = new CatalogBuilder();
  const places = programs.map((modules): ProgramPlace => {
    const { units, paths } = builder.counts;
    for (const module of modules) builder.addModule(module);
    return { firstUnit: units, firstPath: paths, endPath: builder.counts.paths };
  });
  return { catalog: builder.freeze(), places };
}

/** A column of the rows. The arrays' own `from` walks an iterator: ten times as long. */
function column<Row, Column extends { [index: number]: number }>(
  Kind: new (length: number) => Column,
  rows: readonly Row[],
  of: (row: Row) => number,
): Column {
  const made = new Kind(rows.length);
  for (let i = 0; i < rows.length; i++) made[i] = of(rows[i]);
  return made;
}

export interface ProgramPlace {
  readonly firstUnit: number;
  readonly firstPath: number;
  readonly endPath: number;
}

class CatalogBuilder {
  private readonly types: UnitType[] = [UNKNOWN_TYPE];
  private readonly members: UnitMember[] = [];
  private readonly variables: UnitVariable[] = [];
  private readonly functions: UnitFunction[] = [UNKNOWN_FUNCTION];
  private readonly slots: UnitSlot[] = [];
  private readonly records: UnitRecord[] = [];
  private readonly regions: UnitRegion[] = [];
  private readonly nodes: UnitNode[] = [];
  private readonly edges: UnitEdge[] = [];
  private readonly refusals = new Map<string, number>();
  private readonly positions: UnitPosition[] = [UNKNOWN_POSITION];
  private readonly calls: UnitCall[] = [UNKNOWN_CALL];
  private readonly systemFiles = new Set<string>();
  private readonly globals: { address: bigint; variable: number }[] = [];
  private readonly unitFirstVariable: number[] = [];
  private readonly typeByKey = new Map<string, number>();

  get counts(): { units: number; paths: number } {
    return { units: this.unitFirstVariable.length, paths: this.regions.length * PATHS_PER_ENTRY };
  }

  addModule(module: ModuleChunk): void {
    const firstUnit = this.unitFirstVariable.length;
    const units = readUnits(module.units);
    for (const unit of units) this.addUnit(unit);
    for (const global of module.globals) {
      if (global.unit >= units.length || global.variable >= units[global.unit].variables.length) {
        throw new TraceError(
          `global of module ${module.number}`,
          module.offset,
          `a variable of its ${units.length} units`,
          `variable ${global.variable} of unit ${global.unit}`,
        );
      }
      this.globals.push({
        address: global.address,
        variable: global.variable === 0 ? 0 : this.unitFirstVariable[firstUnit + global.unit] + global.variable,
      });
    }
  }

  private addUnit(unit: Unit): void {
    const typeIds = this.addTypes(unit);
    // Row 0 of the first unit is the catalog's "unknown"; later units keep their zero rows, so that id = first + index.
    const firstVariable = this.variables.length;
    const variable = (index: number): number => (index === 0 ? 0 : firstVariable + index);
    const firstFunction = this.functions.length - 1;
    const functionId = (index: number): number => (index === 0 ? 0 : firstFunction + index);
    const firstSlot = this.slots.length;
    const slotId = (index: number): number => (index === 0 ? 0 : firstSlot + index);
    const firstPosition = this.positions.length - 1;
    const position = (index: number): number => (index === 0 ? 0 : firstPosition + index);
    const firstCall = this.calls.length - 1;
    const call = (index: number): number => (index === 0 ? 0 : firstCall + index);
    this.unitFirstVariable.push(firstVariable);
    for (const row of unit.functions.slice(1)) this.functions.push(row);
    for (const row of unit.variables.length === 0 ? [UNKNOWN_VARIABLE] : unit.variables) {
      this.variables.push({ ...row, type: typeIds[row.type] ?? 0, function: functionId(row.function) });
    }
    for (const row of unit.slots)
      this.slots.push({
        ...row,
        type: typeIds[row.type] ?? 0,
        variable: variable(row.variable),
        function: functionId(row.function),
        base: slotId(row.base),
        inlinedAt: position(row.inlinedAt),
      });
    for (const row of unit.positions.slice(1))
      this.positions.push({ ...row, function: functionId(row.function), inlinedAt: position(row.inlinedAt) });
    for (const row of unit.calls.slice(1))
      this.calls.push({ ...row, function: functionId(row.function), position: position(row.position) });
    for (const file of unit.systemFiles) this.systemFiles.add(file);
    const firstRecord = this.records.length;
    for (const row of unit.records) {
      checkRecord(row, unit.slots, this.records.length);
      this.records.push({
        ...row,
        function: functionId(row.function),
        firstSlot: firstSlot + row.firstSlot,
        call: call(row.call),
      });
    }
    this.addRegions(unit, firstRecord);
    for (const { reason, count } of unit.refusals) this.refusals.set(reason, (this.refusals.get(reason) ?? 0) + count);
  }

  private addRegions(unit: Unit, firstRecord: number): void {
    checkRegions(unit, this.regions.length);
    const [firstNode, firstEdge] = [this.nodes.length, this.edges.length];
    for (const row of unit.edges) this.edges.push(row);
    for (const row of unit.nodes)
      this.nodes.push({ ...row, firstRecord: firstRecord + row.firstRecord, firstEdge: firstEdge + row.firstEdge });
    for (const row of unit.regions) this.regions.push({ ...row, firstNode: firstNode + row.firstNode });
  }

  private addTypes(unit: Unit): number[] {
    const ids: number[] = [];
    const fresh: { id: number; row: UnitType }[] = [];
    unit.types.forEach((row, index) => {
      if (index === 0) return void ids.push(0);
      const key =
        row.name === ''
          ? `${row.kind} ${row.sizeBytes} ${row.file}:${row.line}`
          : `${row.kind} ${row.sizeBytes} ${row.name}`;
      let id = this.typeByKey.get(key);
      if (id === undefined || (this.types[id].memberCount === 0 && row.memberCount > 0)) {
        id ??= this.types.push(row) - 1;
        this.typeByKey.set(key, id);
        fresh.push({ id, row });
      }
      ids.push(id);
    });
    for (const { id, row } of fresh) {
      const firstMember = this.members.length;
      for (const member of unit.members.slice(row.firstMember, row.firstMember + row.memberCount))
        this.members.push({ ...member, type: ids[member.type] });
      this.types[id] = { ...row, element: ids[row.element], firstMember };
    }
    return ids;
  }

  freeze(): Catalog {
    if (this.variables.length === 0) this.variables.push(UNKNOWN_VARIABLE);
    const { types, members, variables, functions, slots, records, regions, nodes, edges, positions, calls } = this;
    const typeTable: TypeTable = {
      count: types.length,
      name: types.map((row) => row.name),
      kind: column(Uint8Array, types, (row) => row.kind),
      sizeBytes: column(Float64Array, types, (row) => row.sizeBytes),
      element: column(Uint32Array, types, (row) => row.element),
      firstMember: column(Uint32Array, types, (row) => row.firstMember),
      memberCount: column(Uint32Array, types, (row) => row.memberCount),
      file: types.map((row) => row.file),
      line: column(Uint32Array, types, (row) => row.line),
    };
    const memberTable = {
      count: members.length,
      name: members.map((row) => row.name),
      type: column(Uint32Array, members, (row) => row.type),
      offsetBytes: column(Float64Array, members, (row) => row.offsetBytes),
      flags: column(Uint32Array, members, (row) => row.flags),
      bits: column(Uint32Array, members, (row) => row.bits),
    };
    return {
      types: typeTable,
      members: memberTable,
      variables: {
        count: variables.length,
        name: variables.map((row) => row.name),
        type: column(Uint32Array, variables, (row) => row.type),
        kind: column(Uint8Array, variables, (row) => row.kind),
        sizeBytes: column(Float64Array, variables, (row) => row.sizeBytes),
        file: variables.map((row) => row.file),
        line: column(Uint32Array, variables, (row) => row.line),
        function: column(Uint32Array, variables, (row) => row.function),
      },
      functions: {
        count: functions.length,
        name: functions.map((row) => row.name),
        linkageName: functions.map((row) => row.linkageName),
        file: functions.map((row) => row.file),
        line: column(Uint32Array, functions, (row) => row.line),
      },
      slots: {
        count: slots.length,
        kind: column(Uint8Array, slots, (row) => row.kind),
        sizeBytes: column(Uint32Array, slots, (row) => row.sizeBytes),
        lanes: column(Uint16Array, slots, (row) => row.lanes),
        type: column(Uint32Array, slots, (row) => row.type),
        offset: column(Uint32Array, slots, (row) => row.offset),
        path: slots.map((row) => row.path),
        variable: column(Uint32Array, slots, (row) => row.variable),
        function: column(Uint32Array, slots, (row) => row.function),
        file: slots.map((row) => row.file),
        line: column(Uint32Array, slots, (row) => row.line),
        column: column(Uint16Array, slots, (row) => row.column),
        base: column(Uint32Array, slots, (row) => row.base),
        delta: column(Int32Array, slots, (row) => row.delta),
        inlinedAt: column(Uint32Array, slots, (row) => row.inlinedAt),
      },
      records: {
        count: records.length,
        tag: column(Uint8Array, records, (row) => row.tag),
        flags: column(Uint8Array, records, (row) => row.flags),
        slotCount: column(Uint16Array, records, (row) => row.slotCount),
        words: column(Uint32Array, records, (row) => row.words),
        instructions: column(Uint32Array, records, (row) => row.instructions),
        function: column(Uint32Array, records, (row) => row.function),
        firstSlot: column(Uint32Array, records, (row) => row.firstSlot),
        call: column(Uint32Array, records, (row) => row.call),
      },
      regions: {
        count: regions.length,
        pathCount: column(Uint32Array, regions, (row) => row.pathCount),
        firstNode: column(Uint32Array, regions, (row) => row.firstNode),
        nodeCount: column(Uint32Array, regions, (row) => row.nodeCount),
        back: column(Uint32Array, regions, (row) => row.back),
        isLoop: column(Uint8Array, regions, (row) => Number(row.isLoop)),
      },
      nodes: {
        count: nodes.length,
        firstRecord: column(Uint32Array, nodes, (row) => row.firstRecord),
        recordCount: column(Uint32Array, nodes, (row) => row.recordCount),
        firstEdge: column(Uint32Array, nodes, (row) => row.firstEdge),
        edgeCount: column(Uint32Array, nodes, (row) => row.edgeCount),
        ends: column(Uint8Array, nodes, (row) => (row.ends ? 1 : 0)),
      },
      edges: {
        count: edges.length,
        node: column(Uint32Array, edges, (row) => row.node),
        before: column(Uint32Array, edges, (row) => row.before),
      },
      positions: {
        count: positions.length,
        function: column(Uint32Array, positions, (row) => row.function),
        file: positions.map((row) => row.file),
        line: column(Uint32Array, positions, (row) => row.line),
        column: column(Uint16Array, positions, (row) => row.column),
        inlinedAt: column(Uint32Array, positions, (row) => row.inlinedAt),
        receiver: positions.map((row) => row.receiver),
      },
      calls: {
        count: calls.length,
        function: column(Uint32Array, calls, (row) => row.function),
        position: column(Uint32Array, calls, (row) => row.position),
        callee: calls.map((row) => row.callee),
      },
      systemFiles: this.systemFiles,
      refusals: Array.from(this.refusals, ([reason, count]) => ({ reason, count })),
      globals: this.freezeGlobals(),
      leaves: buildLeafTable(typeTable, memberTable),
      declared: Uint32Array.from(types, (_, id) => declaredType(types, id)),
      unitFirstVariable: Uint32Array.from(this.unitFirstVariable),
    };
  }

  private freezeGlobals(): GlobalTable {
    return {
      count: this.globals.length,
      address: BigUint64Array.from(this.globals, (row) => row.address),
      variable: Uint32Array.from(this.globals, (row) => row.variable),
    };
  }
}

/** An array of structs counts as its struct; arrays are folded, so one step is enough. */
function declaredType(types: readonly UnitType[], id: number): number {
  if (types[id].kind !== ARRAY) return id;
  const element = types[types[id].element];
  const isRecord =
    element.kind === TYPE_KINDS.indexOf('struct') ||
    element.kind === TYPE_KINDS.indexOf('union') ||
    element.kind === TYPE_KINDS.indexOf('class');
  return isRecord ? types[id].element : id;
}

// Stage: trace -> replay. The units of all modules to one frozen Catalog: types merged by definition,
// everything else renumbered in order. Units that contradict themselves are refused on the way.

import { sourceFile, spellFiles, type SourceFile } from '../base/source-file.js';
import { TYPE_KINDS, type Catalog, type GlobalTable, type TypeTable } from '../contract/catalog.js';
import { PATHS_PER_ENTRY } from './layout.js';
import { buildLeafTable } from './leaf-table.js';
import type { ModuleChunk } from './module-chunk.js';
import { TraceError } from './trace-error.js';
import { digestLayout, nameTypes } from './type-names.js';
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
const POINTER = TYPE_KINDS.indexOf('pointer');
const RECORDS: readonly number[] = (['struct', 'union', 'class'] as const).map((kind) => TYPE_KINDS.indexOf(kind));
/** Types that nest deeper are no types of a program. */
const MOST_NESTED = 1000;

interface CatalogType extends UnitType {
  /** `digestLayout` of its members. */
  readonly layout: string;
}

const UNKNOWN_TYPE: CatalogType = {
  name: '',
  kind: 0,
  sizeBytes: 0,
  element: 0,
  firstMember: 0,
  memberCount: 0,
  file: '',
  line: 0,
  layout: '',
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
  private readonly types: CatalogType[] = [UNKNOWN_TYPE];
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
  /** Types of which no unit so far knew the members. */
  private readonly opaqueByKey = new Map<string, number>();

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

  /** Types of the unit to types of the catalog; members first, because a type is known by its layout. */
  private addTypes(unit: Unit): number[] {
    const ids = new Map<number, number>([[0, 0]]);
    const add = (index: number, depth: number): number => {
      const known = ids.get(index);
      if (known !== undefined) return known;
      if (depth > MOST_NESTED) return 0;
      ids.set(index, 0); // so that a type which nests itself, as none can, ends here
      const row = unit.types[index];
      const own = unit.members
        .slice(row.firstMember, row.firstMember + row.memberCount)
        .map((member) => ({ ...member, type: add(member.type, depth + 1) }));
      const id = this.intern({ ...row, element: add(row.element, depth + 1) }, own);
      ids.set(index, id);
      return id;
    };
    return unit.types.map((_, index) => add(index, 0));
  }

  private intern(row: UnitType, own: readonly UnitMember[]): number {
    const layout = digestLayout(own.map((member) => ({ ...member, type: this.spellMember(member.type) })));
    const bare = `${row.kind} ${row.sizeBytes} ${row.name}${row.kind === ARRAY ? ` ${row.element}` : ''}`;
    const place = row.file === '' ? '' : `${sourceFile(row.file).path}:${row.line}`;
    const isOpaque = isRecord(row) && own.length === 0 && row.name !== '';
    const key = isRecord(row) && !isOpaque ? `${bare}\n${place}\n${layout}` : bare;
    // Where one unit knows the members and the other does not, both mean the first definition of that name and size.
    const known = this.typeByKey.get(key) ?? (isOpaque ? undefined : this.opaqueByKey.get(bare));
    const isFresh = known === undefined || (this.types[known].memberCount === 0 && own.length > 0);
    if (!isFresh) return known;
    const type = { ...row, firstMember: this.members.length, memberCount: own.length, layout };
    for (const member of own) this.members.push(member);
    const id = known ?? this.types.push(type) - 1;
    this.types[id] = type;
    this.typeByKey.set(key, id);
    if (isOpaque) this.opaqueByKey.set(bare, id);
    else {
      this.opaqueByKey.delete(bare);
      if (isRecord(row) && !this.typeByKey.has(bare)) this.typeByKey.set(bare, id);
    }
    return id;
  }

  /** As digests have it. A unit may know a record or what a pointer points to by its name only. */
  private spellMember(type: number): string {
    const { name, kind, element, sizeBytes } = this.types[type];
    if (kind === POINTER) return '*';
    if (kind === ARRAY) return `${this.spellMember(element)}[${isRecord(this.types[element]) ? '' : sizeBytes}]`;
    return isRecord(this.types[type]) ? name : `${name} ${sizeBytes}`;
  }

  freeze(): Catalog {
    if (this.variables.length === 0) this.variables.push(UNKNOWN_VARIABLE);
    const { types, members, variables, functions, slots, records, regions, nodes, edges, positions, calls } = this;
    const { files, file } = nameFiles([types, variables, functions, slots, positions]);
    const typeTable: TypeTable = {
      count: types.length,
      name: spellTypes(types, file),
      tag: types.map((row) => row.name),
      layout: types.map((row) => row.layout),
      kind: column(Uint8Array, types, (row) => row.kind),
      sizeBytes: column(Float64Array, types, (row) => row.sizeBytes),
      element: column(Uint32Array, types, (row) => row.element),
      firstMember: column(Uint32Array, types, (row) => row.firstMember),
      memberCount: column(Uint32Array, types, (row) => row.memberCount),
      file: types.map(file),
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
      files,
      types: typeTable,
      members: memberTable,
      variables: {
        count: variables.length,
        name: variables.map((row) => row.name),
        type: column(Uint32Array, variables, (row) => row.type),
        kind: column(Uint8Array, variables, (row) => row.kind),
        sizeBytes: column(Float64Array, variables, (row) => row.sizeBytes),
        file: variables.map(file),
        line: column(Uint32Array, variables, (row) => row.line),
        function: column(Uint32Array, variables, (row) => row.function),
      },
      functions: {
        count: functions.length,
        name: functions.map((row) => row.name),
        linkageName: functions.map((row) => row.linkageName),
        file: functions.map(file),
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
        file: slots.map(file),
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
        file: positions.map(file),
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
      systemFiles: new Set(Array.from(this.systemFiles, (one) => file({ file: one }))),
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
function declaredType(types: readonly CatalogType[], id: number): number {
  if (types[id].kind !== ARRAY) return id;
  return isRecord(types[types[id].element]) ? types[id].element : id;
}

function isRecord({ kind }: UnitType): boolean {
  return RECORDS.includes(kind);
}

/** The files of all rows by their spelling, and the spelling of a row's file. */
function nameFiles(tables: readonly (readonly { readonly file: string }[])[]): {
  files: Catalog['files'];
  file: (row: { readonly file: string }) => string;
} {
  const known = new Map<string, SourceFile>();
  for (const rows of tables)
    for (const row of rows) if (row.file !== '' && !known.has(row.file)) known.set(row.file, sourceFile(row.file));
  const spelled = spellFiles(known.values());
  const spell = new Map([...known].map(([key, { path }]) => [key, spelled.get(path)!.spelling]));
  return {
    files: new Map(Array.from(spelled.values(), (one) => [one.spelling, { name: one.name, path: one.path }])),
    file: (row) => spell.get(row.file) ?? '',
  };
}

/** A type whose members nobody knows is the one definition of its name, if there is one. */
function spellTypes(types: readonly CatalogType[], file: (row: UnitType) => string): string[] {
  const defined = types.filter((row) => isRecord(row) && row.name !== '' && row.layout !== '');
  const names = nameTypes(
    defined.map((row) => ({
      tag: row.name,
      sizeBytes: row.sizeBytes,
      file: file(row),
      line: row.line,
      layout: row.layout,
    })),
  );
  const nameOf = new Map(defined.map((row, index) => [row, names[index]]));
  const spell = (row: CatalogType): string =>
    row.kind === ARRAY && isRecord(types[row.element]) && nameOf.has(types[row.element])
      ? `${nameOf.get(types[row.element])!}[]`
      : (nameOf.get(row) ?? row.name);
  return types.map(spell);
}

// Stage: trace -> replay. The units of all modules to one frozen Catalog: types merged by definition,
// everything else renumbered in order. Units that contradict themselves are refused on the way.

import { sourceFile, spellFiles, type SourceFile } from '../base/source-file.js';
import type { Catalog, GlobalTable } from '../contract/catalog.js';
import { CatalogTypes } from './catalog-types.js';
import { JoinedRows, type PlacedUnit } from './joined-columns.js';
import { PATHS_PER_ENTRY } from './layout.js';
import { buildLeafTable } from './leaf-table.js';
import type { ModuleChunk } from './module-chunk.js';
import { checkRegions } from './region-rules.js';
import { TraceError } from './trace-error.js';
import type { NumberColumn, UnitColumns } from './unit.js';
import { readUnits } from './unit-reader.js';
import { checkRecords } from './unit-rules.js';

const UNKNOWN_VARIABLE: UnitColumns['variables'] = {
  count: 1,
  name: [''],
  type: new Uint32Array(1),
  kind: new Uint8Array(1),
  sizeBytes: new Float64Array(1),
  alignment: new Uint8Array(1),
  file: new Uint32Array(1),
  line: new Uint32Array(1),
  function: new Uint32Array(1),
};

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

export interface ProgramPlace {
  readonly firstUnit: number;
  readonly firstPath: number;
  readonly endPath: number;
}

/** A unit whose files are not spelled yet: that depends on all of them. */
type AddedUnit = Omit<PlacedUnit, 'files'>;

class CatalogBuilder {
  private readonly types = new CatalogTypes();
  private readonly units: AddedUnit[] = [];
  /** Rows so far. Row 0 of functions, positions and calls is the catalog's own. */
  private readonly rows = {
    variables: 0,
    functions: 1,
    slots: 0,
    records: 0,
    regions: 0,
    nodes: 0,
    edges: 0,
    positions: 1,
    calls: 1,
  };
  private readonly refusals = new Map<string, number>();
  private readonly systemFiles = new Set<string>();
  private readonly globals: { address: bigint; variable: number }[] = [];

  get counts(): { units: number; paths: number } {
    return { units: this.units.length, paths: this.rows.regions * PATHS_PER_ENTRY };
  }

  addModule(module: ModuleChunk): void {
    const firstUnit = this.units.length;
    const units = readUnits(module.units);
    for (const unit of units) this.addUnit(unit);
    for (const global of module.globals) {
      if (global.unit >= units.length || global.variable >= units[global.unit].variables.count) {
        throw new TraceError(
          `global of module ${module.number}`,
          module.offset,
          `a variable of its ${units.length} units`,
          `variable ${global.variable} of unit ${global.unit}`,
        );
      }
      this.globals.push({
        address: global.address,
        variable: global.variable === 0 ? 0 : this.units[firstUnit + global.unit].variable + global.variable,
      });
    }
  }

  private addUnit(read: UnitColumns): void {
    // Row 0 of the first unit is the catalog's unknown variable; later units keep their zero rows.
    const unit = read.variables.count > 0 ? read : { ...read, variables: UNKNOWN_VARIABLE };
    const { rows } = this;
    const types = this.types.add(unit);
    checkRecords(unit, rows.records);
    checkRegions(unit, rows.regions);
    this.units.push({
      unit,
      types,
      variable: rows.variables,
      function: rows.functions - 1,
      position: rows.positions - 1,
      call: rows.calls - 1,
      slot: rows.slots,
      record: rows.records,
      node: rows.nodes,
      edge: rows.edges,
    });
    for (const table of ['variables', 'slots', 'records', 'regions', 'nodes', 'edges'] as const)
      rows[table] += unit[table].count;
    for (const table of ['functions', 'positions', 'calls'] as const) rows[table] += Math.max(0, unit[table].count - 1);
    for (const file of unit.systemFiles) this.systemFiles.add(file);
    for (const { reason, count } of unit.refusals) this.refusals.set(reason, (this.refusals.get(reason) ?? 0) + count);
  }

  freeze(): Catalog {
    const { files, spell } = spellAll([...this.types.files(), ...filesOfRows(this.units)]);
    const units = this.units.map((one): PlacedUnit => ({ ...one, files: one.unit.files.map(spell) }));
    const { types, members, declared } = this.types.freeze(spell);
    return {
      files,
      types,
      members,
      ...joinUnits(units, this.rows),
      systemFiles: new Set(Array.from(this.systemFiles, spell)),
      refusals: Array.from(this.refusals, ([reason, count]) => ({ reason, count })),
      globals: this.freezeGlobals(),
      leaves: buildLeafTable(types, members),
      declared,
      unitFirstVariable: Uint32Array.from(units, ({ variable }) => variable),
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

type JoinedTables = Pick<
  Catalog,
  'variables' | 'functions' | 'slots' | 'records' | 'regions' | 'nodes' | 'edges' | 'positions' | 'calls'
>;

function joinUnits(units: readonly PlacedUnit[], counts: Readonly<Record<keyof JoinedTables, number>>): JoinedTables {
  const variables = new JoinedRows(units, Math.max(1, counts.variables), 0);
  const functions = new JoinedRows(units, counts.functions, 1);
  const slots = new JoinedRows(units, counts.slots, 0);
  const records = new JoinedRows(units, counts.records, 0);
  const regions = new JoinedRows(units, counts.regions, 0);
  const nodes = new JoinedRows(units, counts.nodes, 0);
  const edges = new JoinedRows(units, counts.edges, 0);
  const positions = new JoinedRows(units, counts.positions, 1);
  const calls = new JoinedRows(units, counts.calls, 1);
  return {
    variables: {
      count: variables.count,
      name: variables.strings((unit) => unit.variables.name),
      type: variables.types((unit) => unit.variables.type),
      kind: variables.numbers(Uint8Array, (unit) => unit.variables.kind),
      sizeBytes: variables.numbers(Float64Array, (unit) => unit.variables.sizeBytes),
      alignment: variables.numbers(Uint8Array, (unit) => unit.variables.alignment),
      file: variables.files((unit) => unit.variables.file),
      line: variables.numbers(Uint32Array, (unit) => unit.variables.line),
      function: variables.rowOrNone((unit) => unit.variables.function, 'function'),
    },
    functions: {
      count: functions.count,
      name: functions.strings((unit) => unit.functions.name),
      linkageName: functions.strings((unit) => unit.functions.linkageName),
      file: functions.files((unit) => unit.functions.file),
      line: functions.numbers(Uint32Array, (unit) => unit.functions.line),
    },
    slots: {
      count: slots.count,
      kind: slots.numbers(Uint8Array, (unit) => unit.slots.kind),
      sizeBytes: slots.numbers(Uint32Array, (unit) => unit.slots.sizeBytes),
      lanes: slots.numbers(Uint16Array, (unit) => unit.slots.lanes),
      type: slots.types((unit) => unit.slots.type),
      offset: slots.numbers(Uint32Array, (unit) => unit.slots.offset),
      path: slots.strings((unit) => unit.slots.path),
      variable: slots.rowOrNone((unit) => unit.slots.variable, 'variable'),
      function: slots.rowOrNone((unit) => unit.slots.function, 'function'),
      file: slots.files((unit) => unit.slots.file),
      line: slots.numbers(Uint32Array, (unit) => unit.slots.line),
      column: slots.numbers(Uint16Array, (unit) => unit.slots.column),
      base: slots.rowOrNone((unit) => unit.slots.base, 'slot'),
      delta: slots.numbers(Int32Array, (unit) => unit.slots.delta),
      inlinedAt: slots.rowOrNone((unit) => unit.slots.inlinedAt, 'position'),
    },
    records: {
      count: records.count,
      tag: records.numbers(Uint8Array, (unit) => unit.records.tag),
      flags: records.numbers(Uint8Array, (unit) => unit.records.flags),
      slotCount: records.numbers(Uint16Array, (unit) => unit.records.slotCount),
      words: records.numbers(Uint32Array, (unit) => unit.records.words),
      instructions: records.numbers(Uint32Array, (unit) => unit.records.instructions),
      function: records.rowOrNone((unit) => unit.records.function, 'function'),
      firstSlot: records.row((unit) => unit.records.firstSlot, 'slot'),
      call: records.rowOrNone((unit) => unit.records.call, 'call'),
    },
    regions: {
      count: regions.count,
      pathCount: regions.numbers(Uint32Array, (unit) => unit.regions.pathCount),
      firstNode: regions.row((unit) => unit.regions.firstNode, 'node'),
      nodeCount: regions.numbers(Uint32Array, (unit) => unit.regions.nodeCount),
      back: regions.numbers(Uint32Array, (unit) => unit.regions.back),
      isLoop: regions.numbers(Uint8Array, (unit) => unit.regions.isLoop),
    },
    nodes: {
      count: nodes.count,
      firstRecord: nodes.row((unit) => unit.nodes.firstRecord, 'record'),
      recordCount: nodes.numbers(Uint32Array, (unit) => unit.nodes.recordCount),
      firstEdge: nodes.row((unit) => unit.nodes.firstEdge, 'edge'),
      edgeCount: nodes.numbers(Uint32Array, (unit) => unit.nodes.edgeCount),
      ends: nodes.numbers(Uint8Array, (unit) => unit.nodes.ends),
    },
    edges: {
      count: edges.count,
      node: edges.numbers(Uint32Array, (unit) => unit.edges.node),
      before: edges.numbers(Uint32Array, (unit) => unit.edges.before),
    },
    positions: {
      count: positions.count,
      function: positions.rowOrNone((unit) => unit.positions.function, 'function'),
      file: positions.files((unit) => unit.positions.file),
      line: positions.numbers(Uint32Array, (unit) => unit.positions.line),
      column: positions.numbers(Uint16Array, (unit) => unit.positions.column),
      inlinedAt: positions.rowOrNone((unit) => unit.positions.inlinedAt, 'position'),
      receiver: positions.strings((unit) => unit.positions.receiver),
    },
    calls: {
      count: calls.count,
      function: calls.rowOrNone((unit) => unit.calls.function, 'function'),
      position: calls.rowOrNone((unit) => unit.calls.position, 'position'),
      callee: calls.strings((unit) => unit.calls.callee),
    },
  };
}

/** Of rows that the catalog keeps. */
function* filesOfRows(units: readonly AddedUnit[]): Generator<string> {
  const columns: readonly ((unit: UnitColumns) => NumberColumn)[] = [
    (unit) => unit.variables.file,
    (unit) => unit.functions.file.subarray(1),
    (unit) => unit.slots.file,
    (unit) => unit.positions.file.subarray(1),
  ];
  for (const column of columns)
    for (const { unit } of units) {
      const isSeen = new Uint8Array(unit.files.length);
      for (const file of column(unit)) {
        if (isSeen[file] === 0) yield unit.files[file];
        isSeen[file] = 1;
      }
    }
}

/** `names`: files as units name them. */
function spellAll(names: readonly string[]): { files: Catalog['files']; spell: (file: string) => string } {
  const known = new Map<string, SourceFile>();
  for (const name of names) if (name !== '' && !known.has(name)) known.set(name, sourceFile(name));
  const spelled = spellFiles(known.values());
  const spellings = new Map([...known].map(([name, { path }]) => [name, spelled.get(path)!.spelling]));
  return {
    files: new Map(Array.from(spelled.values(), (one) => [one.spelling, { name: one.name, path: one.path }])),
    spell: (file) => spellings.get(file) ?? '',
  };
}

// Stage: profile. Every table of a profile, described once: building, sorting, merging, checks and files follow from
// it. A counter that is one more member of COUNTERS, or one more sum of a table of results (src/contract/result.ts),
// needs no other line here. Columns stand in the order in which files have them.

import {
  coreNumber,
  countOf,
  kept,
  key,
  listCells,
  memberOf,
  rowOf,
  rowOrNone,
  sum,
  sums,
  binOfLevel,
  type Cell,
  type Columns,
  type ColumnsOf,
  type NameList,
} from '../base/table-description.js';
import {
  MISS_BIN_MEASURES,
  MOST_STEPS,
  OBJECT_BIN_MEASURES,
  OTHER_PATH_MEASURES,
  PATH_END_NAMES,
  PATH_MEASURES,
  RESIDENCY_MEASURES,
  STEP_MEASURES,
} from '../contract/flow-result.js';
import { CLASS_NAMES, LEVEL_NAMES } from '../contract/name-lists.js';
import {
  COUNTER_NAMES,
  OBJECT_COUNTER_NAMES,
  OBJECT_KIND_NAMES,
  MEMORY_STRUCT_OBJECTS,
  OBJECT_LIFE,
  OBJECT_PLACE,
  RELATION_NAMES,
  RULE_NAMES,
  TAKER_COLUMNS,
  UNUSED_BYTES,
} from '../contract/result.js';
import {
  LOCK_DATA_MEASURES,
  LOCK_MEASURES,
  LOCK_PART_MEASURES,
  SHARED_VARIABLE_MEASURES,
} from '../contract/threads-result.js';
import { ESTIMATE_LIST, LATENCY_LIST, SAMPLED_COUNTER_LIST } from './estimates.js';

export interface TableDescription<C extends Columns = Columns> {
  readonly columns: C;
  /** Columns that only some profiles have. */
  readonly sometimes?: Columns;
  /**
   * The columns that rows are sorted by, "-" for descending; without it, the keys in their order. A group stands for
   * its columns.
   */
  readonly order?: readonly string[];
  /** The origin of its rows, if it is not the table itself. */
  readonly rowsOf?: 'tallies' | 'flow.paths' | 'flow.steps' | 'steps of flow.paths' | 'sets of the machine';
  /** Its numbers are finite, and from 0 on: checked, as views take roots of them and divide by them. */
  readonly isFromZero?: true;
}

/** The origin of a row type's name. */
export const FAMILIES = ['scalar', 'aggregate', 'heap-site', 'untyped'] as const;
const FAMILY_NAMES = { name: 'families', members: FAMILIES } as const satisfies NameList;

/** A site in a file of the compiler or of its libraries. */
export const SITE_IN_SYSTEM = 1;
/** Its `caller` is a call, not a place of inlining. */
export const SITE_CALLED = 2;

const SIDE = {
  type: rowOf('type'),
  field: rowOrNone('string'),
  site: rowOf('site'),
  /** Allocation site, or where the variable is declared; 0 unknown. */
  allocationSite: rowOf('site'),
  /** Thread that allocated it; NO_INDEX for globals and unknown memory. */
  allocationThread: key('u32'),
  /** Name of the variable; NO_INDEX for heap and unknown memory. */
  variable: rowOrNone('string'),
} as const;

/** Types instead of labels: of the reference that took and of the one that had brought the line. */
const TAKERS = {
  columns: { ...TAKER_COLUMNS, taker: rowOf('type'), owner: rowOf('type') },
} as const satisfies TableDescription;

/** Tables of every profile. */
export const TABLES = {
  types: {
    columns: {
      /** Ascending by name. */
      name: rowOf('string'),
      family: memberOf(FAMILY_NAMES),
    },
  },
  /** Source positions of accesses, allocations, declarations and calls; row 0 is "unknown". */
  sites: {
    columns: {
      function: rowOf('string'),
      file: rowOf('string'),
      line: key('u32'),
      column: key('u16'),
      /** Bits: SITE_IN_SYSTEM, SITE_CALLED. */
      flags: key('u8'),
      /** Variable or field that receives what is allocated or returned there. */
      receiver: rowOrNone('string'),
      /** Where `function` was inlined, or called; 0: its own code, or unknown. */
      caller: rowOf('site'),
    },
  },
  tallies: {
    columns: {
      type: rowOf('type'),
      /** NO_INDEX: the type as a whole. */
      field: rowOrNone('string'),
      rule: memberOf(RULE_NAMES),
      site: rowOf('site'),
      /** Of a heap array of scalars, and of heap memory of no type: its allocation site; else 0. */
      origin: rowOf('site'),
      core: coreNumber(),
      counters: sums(COUNTER_NAMES, 'counts'),
    },
  },
  /** The access on either side: its type and field, its site, and the object that it belongs to. */
  sharing: {
    columns: {
      class: memberOf(CLASS_NAMES),
      relation: memberOf(RELATION_NAMES),
      misses: sum('misses'),
      missed: SIDE,
      writer: SIDE,
    },
    order: ['-misses', 'missed', 'writer', 'class', 'relation'],
  },
  /** Every object that lived, in order of creation; times are replay time. */
  objects: {
    columns: {
      ...OBJECT_PLACE,
      type: rowOf('type'),
      /** Allocation site, or where the variable is declared; 0 unknown. */
      site: rowOf('site'),
      variable: rowOrNone('string'),
      freeSite: rowOf('site'),
      ...OBJECT_LIFE,
      /** The functions that led to its allocation, innermost first, one a line; NO_INDEX unknown. */
      callPath: rowOrNone('string'),
    },
    /**
     * The core of its thread then, if threads are on recorded CPUs. Otherwise the core is the thread's number modulo
     * the cores.
     */
    sometimes: { core: coreNumber() },
  },
  /** The counters of objects that are not 0, by object, then counter. */
  objectCounters: {
    columns: { object: rowOf('object'), counter: memberOf(OBJECT_COUNTER_NAMES), value: kept('f64', 'counts') },
  },
  evictions: TAKERS,
  invalidations: TAKERS,
  /** `field` NO_INDEX: of no field. */
  unusedBytes: { columns: { type: rowOf('type'), field: rowOrNone('string'), ...UNUSED_BYTES } },
} as const satisfies Record<string, TableDescription>;

/** If the flow was collected. docs/data-flow.md defines each number. */
export const FLOW_TABLES = {
  /**
   * Lives whose objects read the same, allocated and ended at the same places, that took the same steps; then by their
   * steps.
   */
  paths: {
    columns: {
      kind: memberOf(OBJECT_KIND_NAMES),
      type: rowOf('type'),
      variable: rowOrNone('string'),
      /** Allocation site, or where the variable is declared; 0 unknown. */
      site: rowOf('site'),
      end: memberOf(PATH_END_NAMES),
      freeSite: rowOf('site'),
      /** Bit 0 freed on another core, bit 1 cut. */
      flags: key('u8'),
      ...PATH_MEASURES,
      /**
       * The steps of all paths stand one behind the other. All references that were cut count as one more step, behind
       * the last.
       */
      steps: countOf('steps', MOST_STEPS + 2),
    },
    order: ['type', 'kind', 'variable', 'site', 'end', 'freeSite', 'flags'],
  },
  steps: {
    columns: {
      /** Where, as --path-by has it: functions and where they begin, lines, or access; NO_INDEX: of what was cut. */
      site: rowOrNone('site'),
      changesCore: key('u8', 2),
      ...STEP_MEASURES,
    },
    rowsOf: 'steps of flow.paths',
  },
  /** Lives whose paths were more than are kept. */
  otherPaths: { columns: { type: rowOf('type'), ...OTHER_PATH_MEASURES } },
  residency: { columns: { level: memberOf(LEVEL_NAMES), type: rowOf('type'), ...RESIDENCY_MEASURES } },
  objectBins: {
    columns: { level: memberOf(LEVEL_NAMES), type: rowOf('type'), bin: binOfLevel(), ...OBJECT_BIN_MEASURES },
  },
  /** `type`: of the reference. */
  missBins: {
    columns: { level: memberOf(LEVEL_NAMES), type: rowOf('type'), bin: binOfLevel(), ...MISS_BIN_MEASURES },
  },
  /** Distinct lines of any object that each set was given, level behind level; of several runs the largest. */
  sets: { columns: { lines: kept('f64', 'lines') }, rowsOf: 'sets of the machine' },
} as const satisfies Record<string, TableDescription>;

/** Locks by kind, name and type, and their parts. Profiles from samples have none. */
export const LOCK_TABLES = {
  locks: {
    columns: {
      /** Sync, of layout.ts. */
      kind: key('u8'),
      /** The type that the lock lies in. */
      type: rowOf('type'),
      /** "queue.lock", "struct bucket.mutex". */
      name: rowOf('string'),
      ...LOCK_MEASURES,
    },
    order: ['kind', 'name', 'type'],
  },
  lockThreads: { columns: { lock: rowOf('lock'), thread: key('u32'), ...LOCK_PART_MEASURES } },
  /** `callPath`: as of objects. */
  lockCallers: { columns: { lock: rowOf('lock'), callPath: rowOrNone('string'), ...LOCK_PART_MEASURES } },
  lockData: { columns: { lock: rowOf('lock'), type: rowOf('type'), ...LOCK_DATA_MEASURES } },
} as const satisfies Record<string, TableDescription>;

/** Structs that accesses name in memory, pools, and behind an object's own struct: nobody counts how many live. */
export const MEMORY_TABLES = {
  memoryStructs: {
    columns: {
      type: rowOf('type'),
      /** Where the memory was allocated, under its callers, or its variable is declared; 0 unknown. */
      site: rowOf('site'),
      variable: rowOrNone('string'),
      ...MEMORY_STRUCT_OBJECTS,
    },
  },
} as const satisfies Record<string, TableDescription>;

/** Accesses to addresses that several threads refer to about equally often, if they were asked for. */
export const SHARED_VARIABLE_TABLES = {
  sharedVariables: {
    columns: {
      type: rowOf('type'),
      /** "stats.hits", "struct args.sx". */
      variable: rowOf('string'),
      /** A site without function and column. */
      site: rowOf('site'),
      thread: key('u32'),
      /** 1: stores, 0: loads. */
      stores: key('u8'),
      ...SHARED_VARIABLE_MEASURES,
    },
    order: ['site', 'variable', 'type', 'thread', 'stores'],
  },
} as const satisfies Record<string, TableDescription>;

/**
 * Tables of a profile from samples: the certainty of each number. docs/sampled-views.md defines each. They cannot be
 * merged.
 */
const SAMPLED_TABLES = {
  tallies: {
    columns: {
      extra: sums(SAMPLED_COUNTER_LIST, 'references'),
      variance: sums(ESTIMATE_LIST, 'variance'),
      /** Samples behind each (fractions, where misses were shared out to classes). */
      samples: sums(ESTIMATE_LIST, 'samples'),
      /** The covariance of each latency with the references that it is the latency of. */
      covariance: sums(LATENCY_LIST, 'variance'),
    },
    rowsOf: 'tallies',
    isFromZero: true,
  },
  /** Exact: the interposer counted them. By type. */
  lives: {
    columns: {
      type: rowOf('type'),
      allocations: kept('f64', 'counts'),
      frees: kept('f64', 'counts'),
      peakObjects: kept('f64', 'objects'),
      peakBytes: kept('f64', 'bytes'),
      averageObjects: kept('f64', 'objects'),
      averageBytes: kept('f64', 'bytes'),
      lifetimeNs: kept('f64', 'nanoseconds'),
      sampledObjects: kept('f64', 'objects'),
      bouncedObjects: kept('f64', 'objects'),
      writeSharedObjects: kept('f64', 'objects'),
    },
    isFromZero: true,
  },
  steps: {
    columns: {
      /** As histories count them, met by a sample or not. */
      references: kept('f64', 'references'),
      /** `samples` is the number behind its shares, `timed` the number behind its latency. */
      samples: kept('f64', 'samples'),
      timed: kept('f64', 'samples'),
      /** The variance of the mean latency. */
      latencyVariance: kept('f64', 'variance'),
    },
    rowsOf: 'flow.steps',
    isFromZero: true,
  },
  /**
   * `histories` counts the histories that tell this path from others, `ofHistories` all histories of its type that tell
   * paths apart. A history that fits several paths counts for each in part.
   */
  paths: {
    columns: { histories: kept('f64', 'counts'), ofHistories: kept('f64', 'counts') },
    rowsOf: 'flow.paths',
    isFromZero: true,
  },
  /** The average lines of a type in a level lie between `low` and `high` in 95 % of the simulations. */
  residency: {
    columns: {
      level: memberOf(LEVEL_NAMES),
      type: rowOf('type'),
      low: kept('f64', 'lines'),
      high: kept('f64', 'lines'),
    },
    isFromZero: true,
  },
} as const satisfies Record<string, TableDescription>;

/** Tables that a profile has all of, or none. */
export interface TableGroup {
  /** The name for errors; null: every profile has them. */
  readonly what: string | null;
  /** The part of the profile that they lie in. */
  readonly path: readonly string[];
  readonly tables: Readonly<Record<string, TableDescription>>;
}

export const TABLE_GROUPS: readonly TableGroup[] = [
  { what: null, path: [], tables: TABLES },
  { what: 'the flow', path: ['flow'], tables: FLOW_TABLES },
  { what: 'locks', path: [], tables: LOCK_TABLES },
  { what: 'shared variables', path: [], tables: SHARED_VARIABLE_TABLES },
  { what: 'memory', path: [], tables: MEMORY_TABLES },
  { what: 'samples', path: ['sampled'], tables: SAMPLED_TABLES },
];

/** Tables that a file has in chunks of OBJECTS_PER_CHUNK objects; all others are whole. */
export const CHUNKED_TABLES: readonly string[] = ['objects', 'objectCounters'];

export interface PlacedTable {
  /** "flow.paths". */
  readonly name: string;
  readonly path: readonly string[];
  readonly table: TableDescription;
  readonly group: TableGroup;
}

export const ALL_TABLES: readonly PlacedTable[] = TABLE_GROUPS.flatMap((group) =>
  Object.entries(group.tables).map(([name, table]) => {
    const path = [...group.path, name];
    return { name: path.join('.'), path, table, group };
  }),
);

/** The table's columns; `isWithAll`: those too that only some profiles have. */
export function cellsOf({ columns, sometimes = {} }: TableDescription, isWithAll = false): readonly Cell[] {
  return listCells(isWithAll ? { ...columns, ...sometimes } : columns);
}

/** Columns of a chunk of objects, in order; `hasCores`: its objects say them. */
export function chunkCells(hasCores: boolean): readonly { name: string; table: string; cell: Cell }[] {
  return CHUNKED_TABLES.flatMap((table) =>
    cellsOf(TABLES[table as 'objects'], hasCores).map((cell) => ({ name: `${table}.${cell.name}`, table, cell })),
  );
}

/** The lists of names that files have, by name. */
export const NAME_LISTS: ReadonlyMap<string, readonly string[]> = new Map(
  ALL_TABLES.flatMap(({ table }) =>
    cellsOf(table).flatMap(({ column: { names } }) => (names === undefined ? [] : [[names.name, names.members]])),
  ),
);

type TablesOf<Group extends Record<string, TableDescription>> = {
  readonly [Name in keyof Group]: ColumnsOf<Group[Name]['columns']>;
};
export type ProfileTables = Omit<TablesOf<typeof TABLES>, 'objects'> & { readonly objects: ObjectColumns };
export type FlowTables = TablesOf<typeof FLOW_TABLES>;
export type LockColumns = TablesOf<typeof LOCK_TABLES>;
export type SharedVariableTables = TablesOf<typeof SHARED_VARIABLE_TABLES>;
export type MemoryTables = TablesOf<typeof MEMORY_TABLES>;
export type SampledTables = TablesOf<typeof SAMPLED_TABLES>;
/** Tables that a file has whole, each at its path of the profile. */
export type WholeTables = Omit<ProfileTables, 'objects' | 'objectCounters'> &
  Partial<LockColumns> &
  Partial<SharedVariableTables> &
  Partial<MemoryTables> & { readonly flow?: FlowTables; readonly sampled?: SampledTables };

export type ObjectColumns = ColumnsOf<typeof TABLES.objects.columns> &
  Partial<ColumnsOf<typeof TABLES.objects.sometimes>>;

// Stage: test. A run written down by hand: a small catalog, and what an engine would say about it. Columns add up, so
// that every sum in a view can be checked against the lines below.
//
//   struct args { int sx; int sy; } pair;      a global, written by two threads: pair.sx and pair.sy share a line
//   struct node { long key; struct node *next; }   two heap objects with a declared type, from main.c:7
//   int counter;                               a global; long totals[8]: a stack variable
//   malloc(48) in make(), main.c:9             nothing is known but its site; a struct node is voted for one of them

import { NO_INDEX } from '../../src/base/ids.js';
import { LEVELS, type Machine } from '../../src/contract/machine.js';
import {
  CALL_PATH_FRAMES,
  COUNTERS,
  OBJECT_COUNTERS,
  RULES,
  type ReplayResult,
  type TakerTable,
  type TypingRule,
} from '../../src/contract/result.js';
import { TYPE_KINDS, type Catalog } from '../../src/contract/catalog.js';
import type { ReplayFacts } from '../../src/profile/profile-builder.js';

const kind = (name: (typeof TYPE_KINDS)[number]): number => TYPE_KINDS.indexOf(name);

/** Types 1 int, 2 struct args, 3 struct node, 4 long[]; 5 is another unit's struct node. */
const typeRows = [
  ['', 'unknown', 0],
  ['int', 'scalar', 4],
  ['struct args', 'struct', 8],
  ['struct node', 'struct', 16],
  ['long[]', 'array', 64],
  ['struct node', 'struct', 24],
] as const;

/** Variables 1 pair, 2 counter, 3 totals. */
const variableRows = [
  ['', 0, 0, 0, '', 0, 0],
  ['pair', 2, 1, 8, 'main.c', 3, 0],
  ['counter', 1, 1, 4, 'main.c', 4, 0],
  ['totals', 4, 3, 64, 'main.c', 20, 1],
] as const;

const functionNames = ['', 'main', 'worker', 'make', 'scan, "fast"'];

/** type, path, variable, function, line, column. */
const slotRows = [
  [2, 'sx', 1, 2, 12, 3], // 0 pair.sx
  [2, 'sy', 1, 2, 14, 3], // 1 pair.sy
  [3, '', 0, 1, 7, 9], // 2 site: new node
  [0, '', 0, 3, 9, 9], // 3 site: malloc(48)
  [3, 'next', 0, 4, 30, 1], // 4 node->next
  [1, '', 2, 2, 16, 1], // 5 counter
  [1, '', 0, 4, 31, 1], // 6 an int somewhere
  [0, '', 0, 4, 32, 1], // 7 nothing known
  [1, '', 3, 1, 21, 1], // 8 totals[i]
  [3, 'next', 0, 4, 30, 1], // 9 node->next again: unrolled
] as const;

const column = <Row extends readonly unknown[]>(rows: readonly Row[], at: number): number[] =>
  rows.map((row) => row[at] as number);
const text = <Row extends readonly unknown[]>(rows: readonly Row[], at: number): string[] =>
  rows.map((row) => row[at] as string);

export const catalog: Catalog = {
  files: new Map([['main.c', { name: 'main.c', path: '/src/main.c' }]]),
  types: {
    count: typeRows.length,
    name: text(typeRows, 0),
    tag: text(typeRows, 0),
    layout: typeRows.map(() => ''),
    kind: Uint8Array.from(typeRows, (row) => kind(row[1])),
    sizeBytes: Float64Array.from(column(typeRows, 2)),
    element: Uint32Array.of(0, 0, 0, 0, 1, 0),
    firstMember: new Uint32Array(typeRows.length),
    memberCount: Uint32Array.of(0, 0, 2, 2, 0, 3),
    file: typeRows.map(() => ''),
    line: new Uint32Array(typeRows.length),
  },
  members: {
    count: 0,
    name: [],
    type: new Uint32Array(),
    offsetBytes: new Float64Array(),
    flags: new Uint32Array(),
    bits: new Uint32Array(),
  },
  variables: {
    count: variableRows.length,
    name: text(variableRows, 0),
    type: Uint32Array.from(column(variableRows, 1)),
    kind: Uint8Array.from(column(variableRows, 2)),
    sizeBytes: Float64Array.from(column(variableRows, 3)),
    alignment: new Uint8Array(variableRows.length),
    file: text(variableRows, 4),
    line: Uint32Array.from(column(variableRows, 5)),
    function: Uint32Array.from(column(variableRows, 6)),
  },
  functions: {
    count: functionNames.length,
    name: functionNames,
    linkageName: functionNames,
    file: functionNames.map(() => 'main.c'),
    line: new Uint32Array(functionNames.length),
  },
  slots: {
    count: slotRows.length,
    kind: new Uint8Array(slotRows.length),
    sizeBytes: new Uint32Array(slotRows.length).fill(4),
    lanes: new Uint16Array(slotRows.length).fill(1),
    type: Uint32Array.from(column(slotRows, 0)),
    offset: new Uint32Array(slotRows.length),
    path: text(slotRows, 1),
    variable: Uint32Array.from(column(slotRows, 2)),
    function: Uint32Array.from(column(slotRows, 3)),
    file: slotRows.map(() => 'main.c'),
    line: Uint32Array.from(column(slotRows, 4)),
    column: Uint16Array.from(column(slotRows, 5)),
    base: new Uint32Array(slotRows.length),
    delta: new Int32Array(slotRows.length),
    inlinedAt: new Uint32Array(slotRows.length),
  },
  records: {
    count: 0,
    tag: new Uint8Array(),
    flags: new Uint8Array(),
    slotCount: new Uint16Array(),
    words: new Uint32Array(),
    instructions: new Uint32Array(),
    function: new Uint32Array(),
    firstSlot: new Uint32Array(),
    call: new Uint32Array(),
  },
  positions: {
    count: 1,
    function: new Uint32Array(1),
    file: [''],
    line: new Uint32Array(1),
    column: new Uint16Array(1),
    inlinedAt: new Uint32Array(1),
    receiver: [''],
  },
  calls: { count: 1, function: new Uint32Array(1), position: new Uint32Array(1), callee: [''] },
  systemFiles: new Set(),
  regions: {
    count: 0,
    pathCount: new Uint32Array(),
    firstNode: new Uint32Array(),
    nodeCount: new Uint32Array(),
    back: new Uint32Array(),
    isLoop: new Uint8Array(),
  },
  nodes: {
    count: 0,
    firstRecord: new Uint32Array(),
    recordCount: new Uint32Array(),
    firstEdge: new Uint32Array(),
    edgeCount: new Uint32Array(),
    ends: new Uint8Array(),
  },
  edges: { count: 0, node: new Uint32Array(), before: new Uint32Array() },
  refusals: [],
  globals: { count: 0, address: new BigUint64Array(), variable: new Uint32Array() },
  leaves: {
    base: new Uint32Array(typeRows.length),
    span: new Uint32Array(typeRows.length),
    flexibleFrom: new Uint32Array(typeRows.length),
    flexibleLeaf: new Uint32Array(typeRows.length),
    leafAt: new Uint16Array(),
    path: [[], [], ['sx', 'sy'], ['key', 'next'], [], ['key', 'next', 'tail']],
  },
  declared: Uint32Array.of(0, 1, 2, 3, 4, 5),
  unitFirstVariable: Uint32Array.of(0),
};

interface TallyLine {
  readonly slot: number;
  readonly rule: TypingRule;
  readonly type?: number;
  readonly siteBytes?: number;
  readonly leaf?: number;
  readonly core?: number;
  readonly counters: Readonly<Record<string, number>>;
}

/** loads, stores, and L1 misses that all go on to memory, by class. */
function counters(
  loads: number,
  stores: number,
  missLoads: number,
  missStores: number,
  missClass: string,
  more: Record<string, number> = {},
): Record<string, number> {
  const misses = missLoads + missStores;
  const perLevel = LEVELS.flatMap((level): [string, number][] => [
    [`${level}.missLoads`, missLoads],
    [`${level}.missStores`, missStores],
    [`${level}.${missClass}`, misses],
    [`${level}.dprof.capacity`, misses],
  ]);
  const hits = loads + stores - misses;
  return {
    loads,
    stores,
    ...Object.fromEntries(perLevel),
    'served.l1': hits,
    'served.memory': misses,
    latencyCycles: hits * 4 + misses * 200,
    missLatencyCycles: misses * 200,
    ...more,
  };
}

const tallyLines: readonly TallyLine[] = [
  { slot: 7, rule: 'untyped', counters: counters(5, 0, 1, 0, 'compulsory') },
  {
    slot: 0,
    rule: 'object',
    type: 2,
    leaf: NO_INDEX,
    counters: counters(100, 100, 40, 20, 'false-sharing', { transfers: 60 }),
  },
  {
    slot: 1,
    rule: 'object',
    type: 2,
    leaf: NO_INDEX,
    core: 1,
    counters: counters(0, 100, 0, 30, 'true-sharing', { transfers: 30 }),
  },
  { slot: 4, rule: 'object', type: 3, leaf: 1, counters: counters(50, 0, 8, 0, 'capacity') },
  { slot: 9, rule: 'object', type: 3, leaf: 1, counters: counters(25, 0, 2, 0, 'capacity') },
  { slot: 4, rule: 'descriptor', counters: counters(10, 0, 1, 0, 'conflict') },
  { slot: 6, rule: 'vote', type: 5, counters: counters(6, 0, 1, 0, 'capacity') },
  { slot: 6, rule: 'site', type: 3, siteBytes: 48, counters: counters(12, 3, 2, 2, 'compulsory') },
  {
    slot: 5,
    rule: 'object',
    type: 1,
    leaf: 2,
    counters: counters(20, 20, 4, 0, 'true-sharing', { transfers: 10, orderBoundTransfers: 1 }),
  },
  { slot: 8, rule: 'object', type: 4, leaf: 3, counters: counters(0, 8, 0, 1, 'compulsory') },
  { slot: 5, rule: 'variable', counters: counters(2, 0, 0, 0, 'capacity') },
  { slot: 6, rule: 'scalar', counters: counters(7, 0, 0, 0, 'capacity') },
];

/**
 * kind, allocation slot, variable, size, type (declared or voted), thread, born, died, lives, lifetime, references,
 * flags.
 */
const objectRows = [
  [1, NO_INDEX, 1, 8, 2, 0, 0, -1, 1, 1000, 300, 3], // 0 pair
  [1, NO_INDEX, 2, 4, 1, 0, 0, -1, 1, 1000, 40, 1], // 1 counter
  [0, 2, 0, 16, 3, 0, 100, 600, 1, 500, 50, 24], // 2 a node, freed by the other thread
  [0, 2, 0, 16, 3, 1, 200, 400, 1, 200, 25, 8], // 3 a node, freed by its own
  [0, 3, 0, 48, 0, 1, 300, -1, 1, 700, 15, 0], // 4 malloc(48)
  [0, 3, 0, 48, 5, 1, 600, 700, 1, 100, 16, 0], // 5 malloc(48), voted a struct node
  [3, NO_INDEX, 3, 64, 4, 0, 50, 950, 3, 90, 8, 0], // 6 totals, three calls
] as const;

/**
 * Labels: the types, no object, and malloc(48) at slot 3, whose objects voted for unit 5's struct node; another size of
 * it nobody voted for.
 */
const labelRows = [
  ...typeRows.map((_, type) => [0, type, NO_INDEX, 0] as const),
  [2, 0, NO_INDEX, 0],
  [1, 5, 3, 48],
  [1, 0, 3, 32],
] as const;

/** level, taker, owner, bin, lines. The L1 has 64 sets, the L2 1,024 in 256 bins. */
const evictionRows = [
  [0, 2, 3, 7, 10],
  [0, 2, 7, 7, 4],
  [0, 2, 3, 9, 20],
  [0, 8, 2, 63, 1],
  [1, 2, 2, 3, 5],
] as const;
const invalidationRows = [
  [0, 2, 2, 0, 80],
  [1, 1, 2, 255, 10],
] as const;

/** label, leaf, fetched, unused. The L1s were filled 112 times. */
const unusedRows = [
  [2, 0, 1000, 100],
  [2, 1, 1000, 900],
  [1, 2, 68, 60],
  [6, NO_INDEX, 5000, 5000],
  [7, NO_INDEX, 64, 16],
  [3, 1, 36, 4],
] as const;

/** slot, label, leaf, variable, thread, accesses: 9 stands on the line of 4. */
const sharedRows = [
  [0, 2, NO_INDEX, 1, 0, 100],
  [1, 2, NO_INDEX, 1, 1, 90],
  [4, 3, 1, 0, 0, 30],
  [9, 3, 1, 0, 0, 12],
  [4, 3, 1, 0, 1, 40],
  [5, 1, 2, 2, 1, 20],
  [6, 7, NO_INDEX, 0, 0, 5],
] as const;

/**
 * kind, label, leaf, variable, locks, acquisitions, waits, wait, longest, holds, hold, longest, unreleased: pair.sx as
 * a mutex, the keys of nodes of two units as one, malloc(48).
 */
const lockRows = [
  [1, 2, 0, 1, 1, 10, 4, 400, 200, 9, 90, 20, 1],
  [1, 3, 0, 0, 3, 6, 0, 0, 0, 6, 30, 10, 0],
  [1, 5, 0, 0, 1, 2, 1, 7, 7, 2, 4, 3, 0],
  [7, 7, NO_INDEX, 0, 1, 3, 2, 50, 30, 0, 0, 0, 0],
] as const;
/** lock, thread, acquisitions. */
const lockThreadRows = [
  [0, 0, 6],
  [0, 1, 4],
  [1, 1, 6],
  [2, 1, 2],
  [3, 0, 3],
] as const;
/** lock, call path, acquisitions. */
const lockCallerRows = [
  [0, 1, 7],
  [0, 0, 3],
  [1, 1, 6],
  [2, 1, 2],
  [3, 1, 3],
] as const;
/** lock, label, references, misses, true and false sharing. */
const lockDataRows = [
  [0, 2, 50, 20, 10, 5],
  [0, 3, 10, 1, 0, 0],
  [1, 3, 4, 2, 0, 0],
  [2, 5, 1, 1, 0, 0],
] as const;

/** object, counter, value. */
const objectCounterRows = [
  [3, 'l1.capacity', 1],
  [0, 'l1.false-sharing', 60],
  [0, 'l1.true-sharing', 30],
  [0, 'l1.dprof.capacity', 90],
  [0, 'missLatencyCycles', 18000],
  [2, 'l1.capacity', 9],
  [2, 'l1.dprof.capacity', 9],
  [2, 'missLatencyCycles', 1800],
  [2, 'missesBeforeFirstUse', 3],
  [2, 'missesAfterLastUse', 2],
  [3, 'l1.dprof.capacity', 1],
  [3, 'missLatencyCycles', 200],
  [3, 'missesBeforeFirstUse', 1],
] as const;

/** Columns of numbers from that place in the rows on. */
function ofRows<Name extends string>(
  rows: readonly (readonly number[])[],
  from: number,
  names: readonly Name[],
): Record<Name, Float64Array> {
  return Object.fromEntries(
    names.map((name, index) => [name, Float64Array.from(column(rows, from + index))]),
  ) as Record<Name, Float64Array>;
}

function takerTable(rows: readonly (readonly number[])[]): TakerTable {
  const pick = (at: number): number[] => rows.map((row) => row[at]);
  return {
    count: rows.length,
    level: Uint8Array.from(pick(0)),
    taker: Uint32Array.from(pick(1)),
    owner: Uint32Array.from(pick(2)),
    bin: Uint8Array.from(pick(3)),
    lines: Float64Array.from(pick(4)),
  };
}

/** class, relation as engines give it, missed slot, object, leaf, writer slot, object, leaf, misses. */
const sharingRows = [
  [2, 0, 0, 0, NO_INDEX, 1, 0, NO_INDEX, 60],
  [1, 0, 1, 0, NO_INDEX, 1, 0, NO_INDEX, 30],
  [1, 1, 5, 1, 2, 5, 1, 2, 3],
  [1, 1, 5, 1, 2, 6, NO_INDEX, NO_INDEX, 1],
] as const;

export function handMadeResult(order: 'as listed' | 'reversed' = 'as listed'): ReplayResult {
  const lines = order === 'reversed' ? [...tallyLines].reverse() : tallyLines;
  const inOrder = <Row>(rows: readonly Row[]): readonly Row[] => (order === 'reversed' ? [...rows].reverse() : rows);
  const pairs = inOrder(sharingRows);
  const unused = inOrder(unusedRows);
  const shared = inOrder(sharedRows);
  const sum = (name: string): number => lines.reduce((total, line) => total + (line.counters[name] ?? 0), 0);
  const misses = LEVELS.map((level) => sum(`${level}.missLoads`) + sum(`${level}.missStores`)) as [
    number,
    number,
    number,
  ];
  const references = sum('loads') + sum('stores');
  return {
    totals: {
      accesses: references,
      references,
      loads: sum('loads'),
      stores: sum('stores'),
      invalidations: 90,
      upgrades: 7,
      writeBacks: 5,
      segments: 200,
      segmentsThatWaited: 3,
      instructions: 1000,
      outsideLife: 0,
      unseenBytes: 512,
      lostSegments: 0,
      windowsClosed: 0,
      closedStamps: 0,
      droppedWords: 0,
      hits: [references - misses[0], misses[0] - misses[1], misses[1] - misses[2]],
      misses,
      fills: misses,
      evictions: [35, 5, 0],
    },
    tallies: {
      count: lines.length,
      slot: Uint32Array.from(lines, (line) => line.slot),
      rule: Uint8Array.from(lines, (line) => RULES.indexOf(line.rule)),
      type: Uint32Array.from(lines, (line) => line.type ?? 0),
      siteBytes: Float64Array.from(lines, (line) => line.siteBytes ?? 0),
      leaf: Uint32Array.from(lines, (line) => line.leaf ?? NO_INDEX),
      core: Uint16Array.from(lines, (line) => line.core ?? 0),
      counters: Float64Array.from(lines.flatMap((line) => COUNTERS.map((name) => line.counters[name] ?? 0))),
    },
    sharing: {
      count: pairs.length,
      class: Uint8Array.from(column(pairs, 0)),
      relation: Uint8Array.from(column(pairs, 1)),
      missSlot: Uint32Array.from(column(pairs, 2)),
      missObject: Uint32Array.from(column(pairs, 3)),
      missLeaf: Uint32Array.from(column(pairs, 4)),
      writeSlot: Uint32Array.from(column(pairs, 5)),
      writeObject: Uint32Array.from(column(pairs, 6)),
      writeLeaf: Uint32Array.from(column(pairs, 7)),
      misses: Float64Array.from(column(pairs, 8)),
    },
    objects: {
      count: objectRows.length,
      address: Float64Array.from(objectRows, (_, object) => 0x555555560000 + object * 0x100),
      sizeBytes: Float64Array.from(column(objectRows, 3)),
      kind: Uint8Array.from(column(objectRows, 0)),
      allocationSlot: Uint32Array.from(column(objectRows, 1)),
      variable: Uint32Array.from(column(objectRows, 2)),
      freeSlot: new Uint32Array(objectRows.length).fill(NO_INDEX),
      type: Uint32Array.from(column(objectRows, 4)),
      thread: Uint32Array.from(column(objectRows, 5)),
      core: Uint16Array.from(column(objectRows, 5)),
      bornAt: Float64Array.from(column(objectRows, 6)),
      diedAt: Float64Array.from(column(objectRows, 7)),
      lives: Float64Array.from(column(objectRows, 8)),
      lifetime: Float64Array.from(column(objectRows, 9)),
      references: Float64Array.from(column(objectRows, 10)),
      flags: Uint8Array.from(column(objectRows, 11)),
      callPath: new Uint32Array(objectRows.length),
    },
    objectCounters: {
      count: objectCounterRows.length,
      object: Uint32Array.from(objectCounterRows, (row) => row[0]),
      counter: Uint8Array.from(objectCounterRows, (row) => OBJECT_COUNTERS.indexOf(row[1])),
      value: Float64Array.from(objectCounterRows, (row) => row[2]),
    },
    locks: {
      count: lockRows.length,
      kind: Uint8Array.from(column(lockRows, 0)),
      label: Uint32Array.from(column(lockRows, 1)),
      leaf: Uint32Array.from(column(lockRows, 2)),
      variable: Uint32Array.from(column(lockRows, 3)),
      ...ofRows(lockRows, 4, [
        'locks',
        'acquisitions',
        'waits',
        'wait',
        'longestWait',
        'holds',
        'hold',
        'longestHold',
        'unreleased',
      ]),
    },
    lockThreads: {
      count: lockThreadRows.length,
      lock: Uint32Array.from(column(lockThreadRows, 0)),
      thread: Uint32Array.from(column(lockThreadRows, 1)),
      ...ofRows(lockThreadRows, 2, ['acquisitions']),
    },
    lockCallers: {
      count: lockCallerRows.length,
      lock: Uint32Array.from(column(lockCallerRows, 0)),
      path: Uint32Array.from(column(lockCallerRows, 1)),
      ...ofRows(lockCallerRows, 2, ['acquisitions']),
    },
    lockData: {
      count: lockDataRows.length,
      lock: Uint32Array.from(column(lockDataRows, 0)),
      label: Uint32Array.from(column(lockDataRows, 1)),
      ...ofRows(lockDataRows, 2, ['references', 'misses', 'trueSharing', 'falseSharing']),
    },
    sharedVariables: {
      count: shared.length,
      slot: Uint32Array.from(column(shared, 0)),
      label: Uint32Array.from(column(shared, 1)),
      leaf: Uint32Array.from(column(shared, 2)),
      variable: Uint32Array.from(column(shared, 3)),
      thread: Uint32Array.from(column(shared, 4)),
      accesses: Float64Array.from(column(shared, 5)),
    },
    sharedAddresses: { shared: 9, kept: 5, isFull: true, uncounted: 33 },
    labels: {
      count: labelRows.length,
      kind: Uint8Array.from(column(labelRows, 0)),
      type: Uint32Array.from(column(labelRows, 1)),
      allocationSlot: Uint32Array.from(column(labelRows, 2)),
      sizeBytes: Float64Array.from(column(labelRows, 3)),
    },
    memoryStructs: {
      count: 0,
      allocationSlot: Uint32Array.of(),
      variable: Uint32Array.of(),
      callPath: Uint32Array.of(),
      type: Uint32Array.of(),
      objects: Float64Array.of(),
    },
    evictions: takerTable(inOrder(evictionRows)),
    invalidations: takerTable(inOrder(invalidationRows)),
    unusedBytes: {
      count: unused.length,
      label: Uint32Array.from(column(unused, 0)),
      leaf: Uint32Array.from(column(unused, 1)),
      fetchedBytes: Float64Array.from(column(unused, 2)),
      unusedBytes: Float64Array.from(column(unused, 3)),
    },
    callPaths: {
      count: 2,
      slot: new Uint32Array(2).fill(NO_INDEX),
      function: new Uint32Array(2 * CALL_PATH_FRAMES)
        .fill(NO_INDEX)
        .map((none, at) => (at === CALL_PATH_FRAMES ? 2 : at === CALL_PATH_FRAMES + 1 ? 1 : none)),
      call: new Uint32Array(2 * CALL_PATH_FRAMES),
    },
    phases: { count: 0, name: [], time: Float64Array.of() },
    marks: { count: 0, name: [], times: Float64Array.of() },
  };
}

const machine: Machine = {
  name: 'default',
  cores: 2,
  lineBytes: 64,
  l1: { sizeBytes: 32768, ways: 8, latencyCycles: 4 },
  l2: { sizeBytes: 1048576, ways: 16, latencyCycles: 14 },
  llc: { sizeBytes: 33554432, ways: 16, latencyCycles: 50 },
  coresPerLlc: 2,
  memoryLatencyCycles: 200,
  cacheToCacheLatencyCycles: 200,
};

export const facts: ReplayFacts = {
  run: {
    command: ['./pairs', '--fast'],
    ended: 'exited with status 0',
    truncated: false,
    addressRandomisation: false,
    threads: 2,
    stampsPerSecond: 1000,
    refusals: { 'inline assembly': 2, va_arg: 1 },
  },
  machine,
  mostSharedCounts: 1000,
  schedule: { kind: 'logical' },
};

// Stage: replay -> stream. The columns that a person may ask for: what each says, what rows need for it, its values. A
// column is of words or of numbers. One that a slot says all of needs no more than the slot.

import { closestNames } from '../base/closest-names.js';
import { DprofError } from '../base/dprof-error.js';
import { NO_INDEX } from '../base/ids.js';
import { completeMachine } from '../contract/complete-machine.js';
import type { ReplayInput } from '../contract/input.js';
import { CLASSES, SERVERS } from '../contract/machine.js';
import { classAt, classBits, COST_BITS, costOf, NO_SERVER, SERVER_BITS, serverOf } from '../contract/outcome-word.js';
import { SlotKind } from '../trace/layout.js';
import type { RawColumn } from './reference-rows.js';

/** Values are made with these. */
export type RowFacts = Pick<ReplayInput, 'catalog' | 'machine' | 'threads'>;
/** null: nobody knows, or there is none. */
export type Value = string | number | bigint | null;

/** How values are kept: words of a dictionary, or numbers of so many bits (53: whole numbers of JavaScript). */
export type ColumnKind = 'words' | 'u16' | 'u32' | 'u53' | 'u64';

export interface StreamColumn {
  readonly kind: ColumnKind;
  readonly about: string;
  /** `slot`: that says all of it. */
  readonly needs: RawColumn;
  /** Those of an outcome that say all of it. */
  readonly bits?: { readonly shift: number; readonly mask: number };
  /** All that it may say, where it is not of slots. */
  readonly words?: readonly string[];
  /** What it needs is a number of a function. */
  readonly ofFunctions?: boolean;
  /** Rows have the value itself, and each has one. */
  readonly isRaw?: boolean;
  /** Makes the value of what it needs. */
  readonly valueOf: (facts: RowFacts) => (raw: number) => Value;
}

function ofSlot<Kind extends ColumnKind>(
  kind: Kind,
  about: string,
  valueOf: (catalog: ReplayInput['catalog'], slot: number) => Value,
) {
  return {
    kind,
    about,
    needs: 'slot',
    valueOf: (facts: RowFacts) => (slot: number) => valueOf(facts.catalog, slot),
  } as const;
}

/** Words, or numbers, that some bits of the outcome say; without `words`, numbers. */
function ofOutcome<Kind extends ColumnKind>(
  kind: Kind,
  about: string,
  bits: NonNullable<StreamColumn['bits']>,
  valueOf: StreamColumn['valueOf'],
  words?: readonly string[],
) {
  return { kind, about, needs: 'outcome', bits, valueOf, words } as const;
}

/** Without `valueOf`, what rows have is the value. */
function ofRows<Kind extends ColumnKind>(
  kind: Kind,
  about: string,
  needs: RawColumn,
  valueOf?: StreamColumn['valueOf'],
  words?: readonly string[],
) {
  return { kind, about, needs, valueOf: valueOf ?? (() => (raw: number) => raw), isRaw: !valueOf, words } as const;
}

function ofLine(needs: RawColumn, about: string) {
  return ofRows('u53', about, needs, () => (line) => line || null);
}

function ofObject(needs: RawColumn, about: string) {
  return ofRows('u32', about, needs, () => (number) => (number === NO_INDEX ? null : number));
}

function ofCaller(needs: RawColumn, about: string) {
  const valueOf: StreamColumn['valueOf'] =
    ({ catalog: { functions } }) =>
    (caller) =>
      caller === NO_INDEX ? null : functions.name[caller] || null;
  return { kind: 'words', about, needs, valueOf, ofFunctions: true } as const;
}

const STORES: readonly number[] = [
  SlotKind.store,
  SlotKind.atomicStore,
  SlotKind.copyStore,
  SlotKind.fill,
  SlotKind.maskedStore,
  SlotKind.scatter,
];
const ATOMICS: readonly number[] = [SlotKind.atomicUpdate, SlotKind.atomicResult];

export const KINDS = ['load', 'store', 'atomic'] as const;

function kindOf({ slots }: ReplayInput['catalog'], slot: number): (typeof KINDS)[number] {
  if (ATOMICS.includes(slots.kind[slot])) return 'atomic';
  return STORES.includes(slots.kind[slot]) ? 'store' : 'load';
}

/** The class of a miss at the level; null: it hit, or was not asked. */
const classOf =
  (level: number) =>
  () =>
  (word: number): Value =>
    CLASSES[classAt(word, level)] ?? null;

/** The latency of the whole access, which stands in its first row. */
function latencyOf({ machine }: RowFacts): (word: number) => number {
  const whole = completeMachine(machine);
  const cycles = [
    whole.l1.latencyCycles,
    whole.l2.latencyCycles,
    whole.llc.latencyCycles,
    whole.cacheToCacheLatencyCycles,
    whole.memoryLatencyCycles,
    whole.remoteCacheLatencyCycles,
    whole.remoteMemoryLatencyCycles,
  ];
  const tlb = [0, whole.tlb?.l2LatencyCycles ?? 0, whole.tlb?.walkLatencyCycles ?? 0];
  return (word) => {
    const { server, tlbMisses } = costOf(word);
    return server === NO_SERVER ? 0 : cycles[server] + tlb[tlbMisses];
  };
}

export const STREAM_COLUMNS = {
  number: ofRows('u53', 'of the reference, from 0 in the order of the replay', 'number'),
  time: ofRows('u53', 'replay time before its step: instructions, of threads that run side by side', 'time'),
  thread: ofRows('u32', 'number of the thread', 'thread'),
  core: ofRows('u16', 'core of the simulated machine that the thread is on', 'core'),
  process: ofRows(
    'u32',
    'number of the process, of several traces',
    'thread',
    ({ threads }) =>
      (thread) =>
        threads[thread]?.process ?? 0,
  ),
  kind: ofSlot('words', KINDS.join(', '), kindOf),
  address: ofRows('u53', 'of its first byte', 'address'),
  size: ofRows('u32', 'bytes, which lie in one cache line', 'size'),
  cacheLine: ofRows(
    'u53',
    'address of the cache line',
    'address',
    ({ machine: { lineBytes } }) =>
      (address) =>
        Math.floor(address / lineBytes) * lineBytes,
  ),
  type: ofSlot('words', 'type that the access names', ({ types, slots }, slot) => types.name[slots.type[slot]] || null),
  field: ofSlot('words', 'field of it, with its path', ({ slots }, slot) => slots.path[slot] || null),
  variable: ofSlot(
    'words',
    'variable that it names',
    ({ variables, slots }, slot) => variables.name[slots.variable[slot]] || null,
  ),
  function: ofSlot('words', 'function', ({ functions, slots }, slot) => functions.name[slots.function[slot]] || null),
  file: ofSlot('words', 'source file', ({ slots }, slot) => slots.file[slot] || null),
  line: ofSlot('u32', 'line in the source', ({ slots }, slot) => slots.line[slot] || null),
  caller: ofCaller('caller', 'function that called that one, if its entry is recorded'),
  caller2: ofCaller('caller2', 'function that called the caller'),
  caller3: ofCaller('caller3', 'and so on'),
  caller4: ofCaller('caller4', 'and so on'),
  object: ofObject('object', 'number of the live object, from 0 in the order in which objects began'),
  objectOffset: ofRows('u53', 'bytes from the beginning of the object', 'offset'),
  site: ofRows(
    'words',
    "source line of the object's allocation",
    'site',
    ({ catalog: { slots } }) =>
      (slot) =>
        slot === NO_INDEX ? null : `${slots.file[slot]}:${slots.line[slot]}`,
  ),
  age: ofRows('u53', "the object's, in replay time", 'age'),
  value: ofRows('u64', 'what was loaded or stored, of a program of dprof-cc -fdprof-values (docs/values.md)', 'value'),
  server: ofOutcome(
    'words',
    `who served it: ${SERVERS.join(', ')}`,
    SERVER_BITS,
    () => (word) => SERVERS[serverOf(word)] ?? null,
    SERVERS,
  ),
  miss: ofOutcome('words', `class of its L1 miss: ${CLASSES.join(', ')}`, classBits(0), classOf(0), CLASSES),
  l2Miss: ofOutcome('words', 'the same of the L2', classBits(1), classOf(1), CLASSES),
  llcMiss: ofOutcome('words', 'the same of the LLC', classBits(2), classOf(2), CLASSES),
  latency: ofOutcome(
    'u32',
    'estimated cycles; those of an access over two lines stand at its first',
    COST_BITS,
    latencyOf,
  ),
  evicted: ofLine('evicted', "address of the line that had to leave the core's L1 for it"),
  l2Evicted: ofLine('l2Evicted', 'the same of its L2'),
  llcEvicted: ofLine('llcEvicted', 'the same of its LLC'),
  evictedObject: ofObject('evictedObject', "number of the live object that the L1's evicted line begins in"),
  l2EvictedObject: ofObject('l2EvictedObject', "the same of the L2's"),
  llcEvictedObject: ofObject('llcEvictedObject', "the same of the LLC's"),
  invalidated: ofRows('u32', 'cores that lost the line to this store', 'invalidated'),
} as const satisfies Readonly<Record<string, StreamColumn>>;

export type ColumnName = keyof typeof STREAM_COLUMNS;
export const COLUMN_NAMES = Object.keys(STREAM_COLUMNS) as ColumnName[];
/** Columns that `--stage cache` adds. */
export const OUTCOME_COLUMNS = ['server', 'miss', 'latency'] as const satisfies readonly ColumnName[];

/** The value of --columns: names with commas. */
export function parseColumns(text: string): ColumnName[] {
  const names = text.split(',').map((name) => columnCalled(name.trim(), '--columns'));
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new DprofError(`--columns: '${twice}' stands twice`, 'each column once', 2);
  return names;
}

export function recordsValues({ slots }: ReplayInput['catalog']): boolean {
  return slots.kind.includes(SlotKind.value);
}

/** Refuses columns about which the trace says nothing at all. */
export function requireColumns(names: readonly ColumnName[], catalog: ReplayInput['catalog']): void {
  if (!names.includes('value') || recordsValues(catalog)) return;
  throw new DprofError(
    'the trace has no values: the column value would be empty',
    'compile the program with dprof-cc -fdprof-values, and record again',
  );
}

export function columnCalled(name: string, option: string): ColumnName {
  if (Object.hasOwn(STREAM_COLUMNS, name)) return name as ColumnName;
  const close = closestNames(name, COLUMN_NAMES);
  throw new DprofError(
    `${option}: there is no column '${name}'`,
    close.length > 0 ? `nearest: ${close.join(', ')}` : `there are ${COLUMN_NAMES.join(', ')}`,
    2,
  );
}

// Stage: profile -> views. The address set: every object that lived, where it lay, how long, and whose it was.

import { formatCount } from '../base/format-number.js';
import { OBJECT_KINDS, type Profile } from '../profile/profile.js';
import { CLASSES, LEVELS, type LevelName } from '../contract/machine.js';
import { LEVEL_NAMES } from './class-names.js';
import { column, count, name, type Column } from './columns.js';
import { perLevel, usualSort } from './counter-sums.js';
import { allocationPaths, pathLines, type PathFrame } from './frames.js';
import { wrapRows } from './envelope.js';
import type { Sampled } from './row-estimates.js';
import { sampledObject } from './sampled-object-row.js';
import { ObjectCounterIndex } from './object-counters.js';
import { spellOrder } from './sort-rows.js';
import { ownSite, spellName, spellOrigin } from './sites.js';
import type { SampledView, View, ViewOptions } from './view.js';
import type { ViewDefinition } from './view-definition.js';

export interface AddressSetRow {
  /** Hexadecimal. */
  readonly address: string;
  readonly type: string;
  readonly bytes: number;
  readonly kind: (typeof OBJECT_KINDS)[number];
  readonly variable: string | null;
  /** The site of its allocation, or of the variable's declaration. */
  readonly site: string | null;
  readonly function: string | null;
  /** The variable or field that receives it. */
  readonly receiver: string | null;
  /** The frames that led to its allocation, from the innermost on, what was inlined included. */
  readonly callPath: readonly PathFrame[];
  /** The functions that led to its allocation, innermost first, at most eight; null unknown. */
  readonly path: readonly string[] | null;
  /** Replay time in instructions. */
  readonly allocatedAt: number;
  /** null: lived to the end. */
  readonly freedAt: number | null;
  /** A stack variable lives again at each call. */
  readonly lives: number;
  readonly thread: number;
  readonly core: number;
  readonly references: number;
  readonly bounce: boolean;
  readonly writeShared: boolean;
  readonly misses: Record<LevelName, number>;
  /** Estimated cycles: the latency of accesses to it that missed the L1. */
  readonly missLatencyCycles: number;
  /** L1 misses of stores before its first load and after its last one. */
  readonly missesBeforeFirstUse: number;
  readonly missesAfterLastUse: number;
  readonly freedOnOtherCore: boolean;
}

export type AddressSet = View<AddressSetRow>;

/** An object that was drawn: when it lived, in nanoseconds of the run. */
type SampledObjectRow = Sampled<AddressSetRow> & {
  readonly allocatedAtNanoseconds?: number;
  readonly freedAtNanoseconds?: number | null;
};
export type SampledAddressSet = SampledView<SampledObjectRow>;
type AnyRow = AddressSetRow | SampledObjectRow;

/** By estimated cycles, then by references; of samples by references alone. */
export function buildAddressSet(profile: Profile, { level, callPath }: ViewOptions = {}): AddressSet {
  const { objects, machine } = profile;
  const counters = new ObjectCounterIndex(profile);
  const cycles =
    usualSort(profile) === 'cycles'
      ? Float64Array.from(objects.address.keys(), (object) => counters.get(object, 'missLatencyCycles'))
      : null;
  const order = Array.from(objects.address.keys()).sort(
    (a, b) =>
      (cycles === null ? 0 : cycles[b] - cycles[a]) ||
      objects.references[b] - objects.references[a] ||
      objects.address[a] - objects.address[b] ||
      a - b,
  );
  const rows = order.map(
    (object): AddressSetRow => ({
      address: `0x${objects.address[object].toString(16)}`,
      type: profile.strings[profile.types.name[objects.type[object]]],
      bytes: objects.sizeBytes[object],
      kind: OBJECT_KINDS[objects.kind[object]],
      variable: spellName(profile, objects.variable[object]),
      ...ownSite(profile, objects.site[object], 'allocation'),
      path: spellName(profile, objects.callPath[object])?.split('\n') ?? null,
      allocatedAt: objects.bornAt[object],
      freedAt: objects.diedAt[object] === -1 ? null : objects.diedAt[object],
      lives: objects.lives[object],
      thread: objects.thread[object],
      core: objects.core?.[object] ?? objects.thread[object] % machine.cores,
      references: objects.references[object],
      bounce: (objects.flags[object] & 1) !== 0,
      writeShared: (objects.flags[object] & 2) !== 0,
      misses: perLevel((level) => CLASSES.reduce((sum, name) => sum + counters.get(object, `${level}.${name}`), 0)),
      missLatencyCycles: counters.get(object, 'missLatencyCycles'),
      missesBeforeFirstUse: counters.get(object, 'missesBeforeFirstUse'),
      missesAfterLastUse: counters.get(object, 'missesAfterLastUse'),
      freedOnOtherCore: (objects.flags[object] & 16) !== 0,
    }),
  );
  return wrapRows(profile, 'address-set', rows, { level, callPath });
}

function addressSetColumns({ sampled, level }: AddressSet | SampledAddressSet): Column<AnyRow>[] {
  const isSampled = sampled !== undefined;
  return [
    name('address', 'address', { align: 'right' }),
    name('type', 'type', { shortest: 16 }, 'type'),
    ...(isSampled
      ? []
      : [
          count<AnyRow>('est. cycles', 'missLatencyCycles', { meaning: 'latency of its accesses that missed the L1.' }),
          ...LEVELS.map((one) =>
            count<AnyRow>(`${LEVEL_NAMES[one]} misses`, `misses.${one}`, one === level ? {} : { expendable: 6 }),
          ),
        ]),
    count('bytes', 'bytes'),
    count('references', 'references', isSampled ? { meaning: 'samples of the object, each for a period.' } : {}),
    ...(isSampled ? [] : [column('words', 'kind', 'kind', ({ kind }: AnyRow) => kind, { expendable: 3 })]),
    column('name', 'site', 'allocated or declared', spellOrigin, {
      brief: 'declared',
      shortest: 12,
    }),
    ...(isSampled ? sampledLife() : life()),
    column('words', 'thread', 'thread', ({ thread }: AnyRow) => String(thread), {
      align: 'right',
      expendable: 2,
    }),
    ...(isSampled ? [] : [column('flags', 'cores', 'cores', spellCores, { expendable: 1 })]),
  ];
}

function life(): Column<AnyRow>[] {
  return [
    count('from', 'allocatedAt', {
      meaning: 'when its life began, in instructions of replay time.',
      expendable: 4,
    }),
    count('to', 'freedAt', { meaning: 'when it ended.', nothing: 'end', expendable: 5 }),
  ];
}

function sampledLife(): Column<SampledObjectRow>[] {
  return [
    column(
      'nanoseconds',
      'allocatedAtNanoseconds',
      'from',
      (row: SampledObjectRow) => row.allocatedAtNanoseconds ?? null,
      {
        meaning: 'when it was allocated, since the run began.',
        expendable: 4,
      },
    ),
    column('nanoseconds', 'freedAtNanoseconds', 'to', (row: SampledObjectRow) => row.freedAtNanoseconds ?? null, {
      nothing: 'end',
      expendable: 5,
    }),
  ];
}

function spellCores({ bounce, writeShared, freedOnOtherCore }: AnyRow): string[] {
  return [
    ...(bounce ? ['bounce'] : []),
    ...(writeShared ? ['write-shared'] : []),
    ...(freedOnOtherCore ? ['freed-elsewhere'] : []),
  ];
}

export const addressSet: ViewDefinition<AddressSet, SampledAddressSet> = {
  build: buildAddressSet,
  sampled: { from: 'samples', rows: (_, sampled, rows) => rows.map((row) => sampledObject(row, sampled)) },
  filters: ['type', 'function', 'minShare'],
  // It lists every object there was, which is for programs to read; pages show what its objects amount to.
  inReport: 'left out',
  hasLevels: true,
  hasCallPaths: true,
  columns: addressSetColumns,
  table(view, top) {
    const { rows, sampled } = view;
    const shown = rows.slice(0, top);
    const counted = `${shown.length} of ${formatCount(rows.length)} objects`;
    return {
      ...(sampled === undefined
        ? {
            title: `address set: objects by ${spellOrder(view)}`,
            notes: [`${counted}.`],
          }
        : {
            title: 'address set, SAMPLED: drawn objects by references',
            notes: [`${counted} that were drawn, each object of a type with the same chance.`],
          }),
      columns: addressSetColumns(view),
      lines: pathLines<AnyRow>(shown, view.withCallPath === true, ({ callPath, variable }) =>
        allocationPaths(callPath, variable),
      ),
    };
  },
};

// Stage: profiles -> diff. Per type, and under it per field: references, misses, classes and cycles of two runs side by
// side; per type its objects too.

import { NO_INDEX } from '../base/ids.js';
import type { Profile } from '../profile/profile.js';
import { CLASSES, type LevelName, type Machine, type MissClass } from '../contract/machine.js';
import { CounterSums, perLevel, sumBy } from '../views/counter-sums.js';
import { costOfLevels } from '../views/level-cycles.js';
import { summariseLives, type TypeLives } from '../views/object-lives.js';
import type { ChangeIntervals } from './sampled-changes.js';
import {
  averageChange,
  beforeAfter,
  countChange,
  type AverageChange,
  type BeforeAfter,
  type CountChange,
  type Work,
} from './change.js';

export interface CountedChange {
  readonly references: CountChange;
  readonly loads: CountChange;
  readonly stores: CountChange;
  readonly levels: Record<
    LevelName,
    { readonly misses: CountChange; readonly classes: Record<MissClass, CountChange> }
  >;
  /** References served by another core's cache. */
  readonly cacheToCache: CountChange;
  /** Latency of all accesses, and of those that missed the L1. */
  readonly latencyCycles: CountChange;
  readonly missLatencyCycles: CountChange;
  /** By the level whose misses cost them; a sampled run has none. */
  readonly levelCycles: Record<LevelName, CountChange>;
}

/** Averages over replay time: they are no counts, and not told per unit of work. */
export interface ObjectsChange {
  readonly objects: CountChange;
  readonly averageLiveObjects: BeforeAfter;
  readonly peakLiveObjects: BeforeAfter;
  readonly workingSetBytes: BeforeAfter;
  /** The average over lives; null if nothing lived. */
  readonly averageLifetimeInstructions: AverageChange;
  readonly bounce: { readonly before: boolean; readonly after: boolean };
  readonly writeShared: { readonly before: boolean; readonly after: boolean };
}

export const PRESENCES = ['both', 'appeared', 'vanished'] as const;

export interface TypeChangeRow extends CountedChange {
  readonly type: string;
  /** null: the whole type, its fields included; their rows follow. */
  readonly field: string | null;
  /** The runs in which it was referenced, or lived. */
  readonly presence: (typeof PRESENCES)[number];
  /** null for fields: only whole types have objects. */
  readonly objects: ObjectsChange | null;
  /** What the first run calls it, of memory without a type by its size there; null if it appeared. */
  readonly typeBefore: string | null;
  /** Of one object as its type or its name says it; null: nothing says it. Fields have the sizes of their type. */
  readonly sizeBytes: AverageChange;
  /** Only if a run is sampled: the intervals of the changes. */
  readonly intervals?: ChangeIntervals;
}

/** The facts of one profile about a type: tallies as a whole and by field, and lives. */
interface OfType {
  readonly sums: CounterSums;
  readonly fields: ReadonlyMap<string, CounterSums>;
  readonly lives: TypeLives | undefined;
}

const NOTHING = new CounterSums();

/** Of the numbers that it has; type-sizes.ts adds the rest. */
export type CountedRow = Omit<TypeChangeRow, 'typeBefore' | 'sizeBytes'>;

/** Each type's rows, in no order. */
export function compareTypes(
  before: Profile,
  after: Profile,
  work: Work | null,
): { readonly whole: CountedRow; readonly fields: readonly CountedRow[] }[] {
  const [first, second] = [before, after].map(collectTypes);
  const machines = [before.machine, after.machine] as const;
  return [...new Set([...first.keys(), ...second.keys()])].map((type) => {
    const [a, b] = [first.get(type), second.get(type)];
    const fields = [...new Set([...(a?.fields.keys() ?? []), ...(b?.fields.keys() ?? [])])];
    return {
      whole: {
        type,
        field: null,
        presence: presenceOf(a, b),
        ...compareCounts(a?.sums ?? NOTHING, b?.sums ?? NOTHING, machines, work),
        objects: compareObjects(a?.lives, b?.lives, work),
      },
      fields: fields.map((field) => {
        const [own, other] = [a?.fields.get(field), b?.fields.get(field)];
        return {
          type,
          field,
          presence: presenceOf(own, other),
          ...compareCounts(own ?? NOTHING, other ?? NOTHING, machines, work),
          objects: null,
        };
      }),
    };
  });
}

function presenceOf(before: unknown, after: unknown): TypeChangeRow['presence'] {
  if (before === undefined) return 'appeared';
  return after === undefined ? 'vanished' : 'both';
}

/** Types that were referenced or had objects. */
function collectTypes(profile: Profile): Map<string, OfType> {
  const { tallies, types, strings } = profile;
  const wholes = sumBy(tallies, (row) => tallies.type[row]);
  const fields = new Map<number, Map<string, CounterSums>>();
  for (const [key, sums] of sumBy(tallies, (row) =>
    tallies.field[row] === NO_INDEX ? null : `${tallies.type[row]} ${tallies.field[row]}`,
  )) {
    const [type, field] = key.split(' ').map(Number);
    const ofType = fields.get(type) ?? new Map<string, CounterSums>();
    fields.set(type, ofType.set(strings[field], sums));
  }
  const lives = summariseLives(profile);
  const met = Array.from(types.name, (_, type) => type).filter((type) => wholes.has(type) || lives[type].objects > 0);
  return new Map(
    met.map((type) => [
      strings[types.name[type]],
      {
        sums: wholes.get(type) ?? NOTHING,
        fields: fields.get(type) ?? new Map(),
        lives: lives[type].objects > 0 ? lives[type] : undefined,
      },
    ]),
  );
}

/** Each side's machine says what its misses cost. */
export function compareCounts(
  before: CounterSums,
  after: CounterSums,
  [machine, other]: readonly [before: Machine, after: Machine],
  work: Work | null,
): CountedChange {
  const [cycles, cyclesAfter] = [costOf(before, machine), costOf(after, other)];
  const count = (of: (sums: CounterSums) => number): CountChange => countChange(of(before), of(after), work);
  const counter = (name: string): CountChange => count((sums) => sums.get(name));
  return {
    references: count((sums) => sums.references),
    loads: counter('loads'),
    stores: counter('stores'),
    levels: perLevel((level) => ({
      misses: count((sums) => sums.misses(level)),
      classes: Object.fromEntries(CLASSES.map((name) => [name, counter(`${level}.${name}`)])) as Record<
        MissClass,
        CountChange
      >,
    })),
    cacheToCache: count((sums) => sums.get('served.cache') + sums.get('served.remote-cache')),
    latencyCycles: counter('latencyCycles'),
    missLatencyCycles: counter('missLatencyCycles'),
    levelCycles: perLevel((level) => countChange(cycles[level], cyclesAfter[level], work)),
  };
}

function costOf(sums: CounterSums, machine: Machine): Record<LevelName, number> {
  return costOfLevels((counter) => sums.get(counter), machine).levelCycles;
}

function compareObjects(before: TypeLives | undefined, after: TypeLives | undefined, work: Work | null): ObjectsChange {
  const numbers = (of: (lives: TypeLives) => number): [number, number] => [
    before === undefined ? 0 : of(before),
    after === undefined ? 0 : of(after),
  ];
  const lifetime = (lives: TypeLives | undefined): number | null =>
    lives === undefined || lives.lives === 0 ? null : lives.lifetime / lives.lives;
  const flag = (of: (lives: TypeLives) => boolean): { before: boolean; after: boolean } => ({
    before: before !== undefined && of(before),
    after: after !== undefined && of(after),
  });
  return {
    objects: countChange(...numbers(({ objects }) => objects), work),
    averageLiveObjects: beforeAfter(...numbers(({ averageObjects }) => averageObjects)),
    peakLiveObjects: beforeAfter(...numbers(({ peak }) => peak)),
    workingSetBytes: beforeAfter(...numbers(({ averageBytes }) => averageBytes)),
    averageLifetimeInstructions: averageChange(lifetime(before), lifetime(after)),
    bounce: flag(({ bounce }) => bounce),
    writeShared: flag(({ writeShared }) => writeShared),
  };
}

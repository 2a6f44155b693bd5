// Stage: profile -> views. The sets of each level: how many lines they were given, by the whole run and by each type;
// which sets a type can reach at all. docs/data-flow.md, "Sets".

import { listObjects } from '../profile/object-source.js';
import type { Flow } from '../profile/flow.js';
import type { Profile } from '../profile/profile.js';
import { completeMachine } from '../contract/complete-machine.js';
import { LEVELS, type LevelName, type Machine } from '../contract/machine.js';
import { setBinsOf, type SetBins } from '../contract/result.js';
import { count, name, type Column } from './columns.js';
import { perLevel } from './counter-sums.js';

/** The use of a level's sets over the whole run, all units of the level together. */
export interface LevelSets {
  readonly sets: number;
  readonly setsPerBin: number;
  readonly ways: number;
  /** Distinct lines of any object, by set. */
  readonly linesPerSet: readonly number[];
  /** Sets that were given no line. */
  readonly unused: number;
  /** Sets that were given more lines than they have ways, most lines first; then by number. */
  readonly overfull: readonly number[];
}

/** The use of sets by one type, by bin of consecutive sets. */
export interface TypeSets {
  readonly linesPerSet: readonly number[];
  readonly objectsPerSet: readonly number[];
  readonly missesPerSet: readonly number[];
  /** Sets of bins with no line of the type: exact where a bin is one set, else at least these. */
  readonly unusedSets: number;
  /** Exact if a bin is one set, else an upper bound. */
  readonly reachableSets: number;
}

export function buildLevelSets({ machine }: Profile, { sets }: Flow): Record<LevelName, LevelSets> {
  let next = 0;
  return perLevel((level) => {
    const { sets: count, setsPerBin } = setBinsOf(machine[level], machine.lineBytes);
    const { ways } = machine[level];
    const linesPerSet = [...sets.lines.subarray(next, (next += count))];
    const overfull = [...linesPerSet.keys()]
      .filter((set) => linesPerSet[set] > ways)
      .sort((a, b) => linesPerSet[b] - linesPerSet[a] || a - b);
    return {
      sets: count,
      setsPerBin,
      ways,
      linesPerSet,
      unused: linesPerSet.filter((lines) => lines === 0).length,
      overfull,
    };
  });
}

/** By row type and level; types without lines and misses have empty lists of zeros. */
export class TypeSetTable {
  readonly #bins: readonly SetBins[];
  /** By level, then type. */
  readonly #lines: Float64Array[][] = LEVELS.map(() => []);
  readonly #objects: Float64Array[][] = LEVELS.map(() => []);
  readonly #misses: Float64Array[][] = LEVELS.map(() => []);
  readonly #alignments: Float64Array;

  constructor(
    private readonly profile: Profile,
    { objectBins, missBins }: Flow,
  ) {
    const { machine } = profile;
    this.#bins = LEVELS.map((level) => setBinsOf(machine[level], machine.lineBytes));
    objectBins.type.forEach((type, row) => {
      this.#of(this.#lines, objectBins.level[row], type)[objectBins.bin[row]] += objectBins.lines[row];
      this.#of(this.#objects, objectBins.level[row], type)[objectBins.bin[row]] += objectBins.objects[row];
    });
    missBins.type.forEach(
      (type, row) => (this.#of(this.#misses, missBins.level[row], type)[missBins.bin[row]] += missBins.misses[row]),
    );
    this.#alignments = alignmentsOf(profile);
  }

  has(type: number): boolean {
    return [this.#lines, this.#misses].some(
      (table) => table[0][type] !== undefined || table[1][type] !== undefined || table[2][type] !== undefined,
    );
  }

  of(type: number): Record<LevelName, TypeSets> {
    return perLevel((level) => {
      const index = LEVELS.indexOf(level);
      const { sets, setsPerBin } = this.#bins[index];
      const lines = this.#of(this.#lines, index, type);
      const used = [...lines.keys()]
        .filter((bin) => lines[bin] > 0)
        .flatMap((bin) =>
          Array.from({ length: Math.min(setsPerBin, sets - bin * setsPerBin) }, (_, at) => bin * setsPerBin + at),
        );
      return {
        linesPerSet: [...lines],
        objectsPerSet: [...this.#of(this.#objects, index, type)],
        missesPerSet: [...this.#of(this.#misses, index, type)],
        unusedSets: sets - used.length,
        reachableSets: reachableSets(used, sets, this.#alignments[type], this.profile.machine),
      };
    });
  }

  #of(table: Float64Array[][], level: number, type: number): Float64Array {
    return (table[level][type] ??= new Float64Array(this.#bins[level].bins));
  }
}

/** What a bin of sets was given by one type. */
export interface TypeInSets {
  readonly type: string;
  readonly lines: number;
  readonly objects: number;
  readonly misses: number;
}

/** Most lines first, then by name; `rows` are those of the working set. */
export function typesInSets(
  rows: readonly ({ readonly type: string } & Record<
    'linesPerSet' | 'objectsPerSet' | 'missesPerSet',
    Readonly<Record<LevelName, readonly number[]>>
  >)[],
  level: LevelName,
  bin: number,
): TypeInSets[] {
  return rows
    .map(
      ({ type, linesPerSet, objectsPerSet, missesPerSet }): TypeInSets => ({
        type,
        lines: linesPerSet[level][bin],
        objects: objectsPerSet[level][bin],
        misses: missesPerSet[level][bin],
      }),
    )
    .filter(({ lines, misses }) => lines > 0 || misses > 0)
    .sort((a, b) => b.lines - a.lines || (a.type < b.type ? -1 : 1));
}

export const TYPE_IN_SETS_COLUMNS: readonly Column<TypeInSets>[] = [
  name('type', 'type', { width: 40 }, 'type'),
  count('lines', 'lines', { meaning: 'distinct lines of its objects' }),
  count('objects', 'objects', { meaning: 'objects that have such a line' }),
  count('misses', 'misses', { meaning: 'fills because of its references' }),
];

/** Those whose number differs from a used one's by a multiple of how far apart objects can begin, in lines. */
function reachableSets(used: readonly number[], sets: number, alignment: number, machine: Machine): number {
  if (used.length === 0) return 0;
  const { lineBytes, colouring, pageBytes } = completeMachine(machine);
  // Only the address within the page is known if colours do not follow addresses.
  const known = colouring === 'virtual' ? alignment : Math.min(alignment, pageBytes);
  const apart = greatestCommonDivisor(Math.max(1, known / lineBytes), sets);
  return (new Set(used.map((set) => set % apart)).size * sets) / apart;
}

const TWO_32 = 2 ** 32;

/** By row type: the largest power of two, up to 2^32, that divides the addresses of all its objects. */
function alignmentsOf(profile: Profile): Float64Array {
  const low = new Uint32Array(profile.types.name.length);
  for (const { objects } of listObjects(profile))
    objects.type.forEach((type, object) => (low[type] |= objects.address[object] % TWO_32));
  return Float64Array.from(low, (bits) => (bits === 0 ? TWO_32 : (bits & -bits) >>> 0));
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}

// The numbers of a result that add up over windows that follow one another, by subject. docs/replay/windows.md
// says what does not.

import {
  COUNTERS,
  LABEL_KINDS,
  OBJECT_COUNTERS,
  RULES,
  TOTALS,
  WHOLE_TOTALS,
  type ReplayResult,
  type Totals,
} from '../../src/contract/result.js';

/** Totals that do not add up. */
const NOT_ADDITIVE = ['closedStamps', 'prefetchUseless'];
const ADDITIVE = (Object.keys({ ...TOTALS, ...WHOLE_TOTALS }) as (keyof Totals)[]).filter(
  (name) => !NOT_ADDITIVE.includes(name),
);
/** Counters of lives as a whole. */
const OF_LIVES = ['missesBeforeFirstUse', 'missesAfterLastUse'];

export type Counts = Map<string, number>;

export function additiveCounts(result: ReplayResult): Counts {
  const counts: Counts = new Map();
  const add = (what: string, value: number): void => {
    if (value !== 0) counts.set(what, (counts.get(what) ?? 0) + value);
  };
  for (const name of ADDITIVE)
    [result.totals[name] ?? 0].flat().forEach((value: number, level) => add(`${name} ${level}`, value));
  const { tallies, sharing, objects, objectCounters, labels } = result;
  for (let row = 0; row < tallies.count; row++) {
    const rule = RULES[tallies.rule[row]];
    // Votes know no more than has been replayed.
    const key =
      rule === 'object' || rule === 'descriptor' ? `${rule} ${tallies.type[row]} ${tallies.leaf[row]}` : 'other rules';
    COUNTERS.forEach((name, column) =>
      add(
        `slot ${tallies.slot[row]} core ${tallies.core[row]} ${key} ${name}`,
        tallies.counters[row * COUNTERS.length + column],
      ),
    );
  }
  for (let row = 0; row < sharing.count; row++) {
    const {
      class: kind,
      relation,
      missSlot,
      missObject,
      missLeaf,
      writeSlot,
      writeObject,
      writeLeaf,
      misses,
    } = sharing;
    add(
      'sharing ' +
        [kind, relation, missSlot, missObject, missLeaf, writeSlot, writeObject, writeLeaf]
          .map((column) => column[row])
          .join(' '),
      misses[row],
    );
  }
  for (let object = 0; object < objects.count; object++) {
    add(`object ${object} references`, objects.references[object]);
    add(`object ${object} lifetime`, objects.lifetime[object]);
  }
  for (let row = 0; row < objectCounters.count; row++) {
    const name = OBJECT_COUNTERS[objectCounters.counter[row]];
    if (!OF_LIVES.includes(name)) add(`object ${objectCounters.object[row]} ${name}`, objectCounters.value[row]);
  }
  const label = (number: number): string => {
    const kind = LABEL_KINDS[labels.kind[number]];
    return kind === 'site'
      ? `site ${labels.allocationSlot[number]} ${labels.sizeBytes[number]}`
      : `${kind} ${labels.type[number]}`;
  };
  for (const name of ['evictions', 'invalidations'] as const) {
    const table = result[name];
    for (let row = 0; row < table.count; row++)
      add(
        `${name} ${table.level[row]} ${label(table.taker[row])} takes ${label(table.owner[row])} in ${table.bin[row]}`,
        table.lines[row],
      );
  }
  return counts;
}

/** Bounce, writeShared, freed: true of the whole if true of a part. */
export function flagsOf({ objects }: ReplayResult): number[] {
  return [...objects.flags];
}

export function sum(parts: readonly Counts[]): Counts {
  const total: Counts = new Map();
  for (const part of parts) for (const [what, value] of part) total.set(what, (total.get(what) ?? 0) + value);
  return total;
}

/** Empty if they are equal. */
export function unequal(a: Counts, b: Counts): string[] {
  return [...new Set([...a.keys(), ...b.keys()])]
    .filter((what) => a.get(what) !== b.get(what))
    .map((what) => `${what}: ${a.get(what) ?? 0}, not ${b.get(what) ?? 0}`);
}

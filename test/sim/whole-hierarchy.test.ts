// Random references to the caches of random machines: what must hold after each of them, whatever the options.

import { expect, it } from 'vitest';
import type { Machine } from '../../src/replay/machine.js';
import { Lines } from '../../src/sim/lines.js';
import { physicalNumbers } from '../../src/sim/page-colours.js';
import { mix } from '../../src/sim/mix.js';
import { Prefetchers } from '../../src/sim/prefetchers.js';
import type { CacheSink } from '../../src/sim/whole-cache.js';
import { WholeHierarchy } from '../../src/sim/whole-hierarchy.js';
import { RandomNumbers } from '../random/random-numbers.js';
import { randomWholeMachine } from '../random/random-trace.js';

const SEEDS = Array.from({ length: 60 }, (_, seed) => seed);
const LINES = 48;

/** What each cache holds, by what a sink is told alone. */
class Contents implements CacheSink {
  readonly lines = new Map<string, number>();
  events = 0;

  filled(level: number, unit: number, line: number, frame: number, victim: number): void {
    this.events++;
    const key = `${level} ${unit} ${frame}`;
    expect(this.lines.get(key) ?? -1).toBe(victim);
    this.lines.set(key, line);
  }

  removed(level: number, unit: number, line: number, frame: number): void {
    const key = `${level} ${unit} ${frame}`;
    expect(this.lines.get(key)).toBe(line);
    this.lines.delete(key);
  }

  of(level: number, unit: number): number[] {
    return [...this.lines]
      .filter(([key]) => key.startsWith(`${level} ${unit} `))
      .map(([, line]) => line)
      .sort((a, b) => a - b);
  }
}

interface Run {
  readonly machine: Machine;
  readonly caches: WholeHierarchy;
  readonly lines: Lines;
  readonly contents: Contents;
  /** Lines of a cache, found by asking. */
  held(level: number, unit: number): number[];
}

function eachReference(seed: number, check: (run: Run) => void, references = 250): Run {
  const machine = randomWholeMachine(seed);
  const random = new RandomNumbers(seed);
  const lines = new Lines(undefined, physicalNumbers(machine));
  const contents = new Contents();
  const caches = new WholeHierarchy(machine, lines, contents);
  const first = Math.floor(0x7000 / machine.lineBytes);
  const all = (): number[] => Array.from({ length: lines.count }, (_, id) => id);
  const held = (level: number, unit: number): number[] =>
    all().filter((id) => caches.levels[level][unit].holds(id, lines.placeOf(id)));
  const run = { machine, caches, lines, contents, held };
  for (let count = 0; count < references; count++) {
    const number = first + random.below(LINES);
    caches.reference(
      random.below(machine.cores),
      lines.at(number),
      random.chance(40),
      number * machine.lineBytes + random.below(8),
      random.below(3),
    );
    check(run);
  }
  return run;
}

it('an inclusive level holds all that its users hold above it, an exclusive one nothing of it', () => {
  const seen = new Set<string>();
  for (const seed of SEEDS) {
    eachReference(
      seed,
      ({ machine, caches, held }) => {
        const lower = [machine.l2, machine.llc];
        seen.add(lower.map(({ inclusion }) => inclusion).join(' '));
        lower.forEach(({ inclusion }, index) => {
          caches.levels[index + 1].forEach((_, unit) => {
            const own = held(index + 1, unit);
            const users = caches.unitOf[0]
              .map((_unit, core) => core)
              .filter((core) => caches.unitOf[index + 1][core] === unit);
            const above = new Set(
              users.flatMap((core) =>
                Array.from({ length: index + 1 }, (_level, level) => held(level, caches.unitOf[level][core])).flat(),
              ),
            );
            if (inclusion === 'inclusive')
              expect(
                [...above].filter((line) => !own.includes(line)),
                `seed ${seed}`,
              ).toEqual([]);
            if (inclusion === 'exclusive')
              expect(
                own.filter((line) => above.has(line)),
                `seed ${seed}`,
              ).toEqual([]);
          });
        });
      },
      60,
    );
  }
  expect(seen.size).toBe(9);
});

it('a modified line is held in its domain, and outside MOESI nowhere else', () => {
  let modified = 0;
  for (const seed of SEEDS) {
    eachReference(
      seed,
      ({ machine, caches, lines }) => {
        for (let id = 0; id < lines.count; id++) {
          const [modifiedBy, place] = [lines.modifiedBy(id), lines.placeOf(id)];
          if (modifiedBy === -1) continue;
          modified++;
          const holders = caches.unitOf[1].filter(
            (domain, core) =>
              [0, 1].some((level) => caches.levels[level][caches.unitOf[level][core]].holds(id, place)) && domain >= 0,
          );
          expect(holders, `seed ${seed}`).toContain(modifiedBy);
          if (machine.protocol !== 'moesi') expect([...new Set(holders)], `seed ${seed}`).toEqual([modifiedBy]);
        }
      },
      60,
    );
  }
  expect(modified).toBeGreaterThan(1_000);
});

it('every prefetch is useful or useless in the end', () => {
  let useful = 0;
  let useless = 0;
  for (const seed of SEEDS) {
    const { prefetchIssued, prefetchUseful, prefetchUseless } = eachReference(seed, () => undefined).caches.totals();
    expect(
      prefetchIssued.map((issued, level) => issued - prefetchUseful[level] - prefetchUseless[level]),
      `seed ${seed}`,
    ).toEqual([0, 0]);
    useful += prefetchUseful[0] + prefetchUseful[1];
    useless += prefetchUseless[0] + prefetchUseless[1];
  }
  expect(useful).toBeGreaterThan(300);
  expect(useless).toBeGreaterThan(300);
});

it('a sink is told of all that comes and goes', () => {
  let events = 0;
  for (const seed of SEEDS) {
    const { caches, contents, held } = eachReference(seed, () => undefined);
    caches.levels.forEach((units, level) =>
      units.forEach((_, unit) => expect(contents.of(level, unit), `seed ${seed}`).toEqual(held(level, unit))),
    );
    events += contents.events;
  }
  expect(events).toBeGreaterThan(10_000);
});

it('a stride is trusted at its second repetition; one odd step costs it one repetition, not its place', () => {
  const stride = new Prefetchers(['stride'], 64);
  const asked = [0, 100, 200, 300, 1000, 1100, 1200, 1300, 0, 500, 1000].map((address) =>
    stride.wanted(0, 7, address, false),
  );
  // 300 asks for 400 (line 6); 1000 is odd, 1100 and on the stride is trusted again; 0 and 500 are odd, and 500 becomes
  // the stride at the third.
  expect(asked).toEqual([[], [], [4], [6], [], [18], [20], [21], [], [], []]);
  expect(stride.wanted(0, 7, 1500, false)).toEqual([31]);
  expect(stride.wanted(1, 7, 1600, false)).toEqual([]);
});

it('random colouring numbers pages by a mix of seed and first touch', () => {
  const machine = { ...randomWholeMachine(1), lineBytes: 64, pageBytes: 4096, colouring: 'random', seed: 9 } as const;
  const place = physicalNumbers(machine);
  expect([place(64 * 70 + 3), place(64 * 5), place(64 * 70 + 63)]).toEqual([
    (mix(9, 0) % 2 ** 20) * 64 + 3,
    (mix(9, 1) % 2 ** 20) * 64,
    (mix(9, 0) % 2 ** 20) * 64 + 63,
  ]);
});

// Random references to the caches of random machines: what must hold after each of them, whatever the options.

import { expect, it } from 'vitest';
import { completeMachine, type CompleteMachine } from '../../src/contract/complete-machine.js';
import { Hierarchy, type CacheEvents } from '../../src/sim/hierarchy.js';
import { mix } from '../../src/sim/mix.js';
import { physicalLines } from '../../src/sim/page-colours.js';
import { Prefetchers } from '../../src/sim/prefetchers.js';
import { RandomNumbers } from '../random/random-numbers.js';
import { randomMachine, randomWholeMachine } from '../random/random-trace.js';

const SEEDS = Array.from({ length: 60 }, (_, seed) => seed);
const LINES = 48;

/** The contents of each cache, from its events alone. */
class Contents implements CacheEvents {
  private readonly lines = new Map<string, Set<number>>();
  events = 0;

  of(level: number, unit: number): number[] {
    return [...this.unit(level, unit)].sort((a, b) => a - b);
  }

  hit(unit: number, line: number): void {
    this.need(this.unit(0, unit).has(line), `hit of ${line}`);
  }

  filled(level: number, unit: number, line: number): void {
    this.events++;
    this.need(!this.unit(level, unit).has(line), `second fill of ${line}`);
    this.unit(level, unit).add(line);
  }

  evicted(level: number, unit: number, line: number): void {
    this.left(level, unit, line);
  }

  left(level: number, unit: number, line: number): void {
    this.need(this.unit(level, unit).delete(line), `${line} left`);
  }

  invalidated(level: number, unit: number, line: number): void {
    this.need(this.unit(level, unit).has(line), `invalidation of ${line}`);
  }

  /** Very often: `expect` takes its time. */
  private need(isSo: boolean, what: string): void {
    if (!isSo) throw new Error(`not so: ${what}`);
  }

  private unit(level: number, unit: number): Set<number> {
    const key = `${level} ${unit}`;
    if (!this.lines.has(key)) this.lines.set(key, new Set());
    return this.lines.get(key)!;
  }
}

interface Run {
  readonly machine: CompleteMachine;
  readonly caches: Hierarchy;
  readonly contents: Contents;
  /** Lines of a cache, found by asking. */
  held(level: number, unit: number): number[];
}

function eachReference(seed: number, check: (run: Run) => void, references = 250): Run {
  const machine = completeMachine(seed % 6 === 0 ? randomMachine(seed) : randomWholeMachine(seed));
  const random = new RandomNumbers(seed);
  const contents = new Contents();
  const caches = new Hierarchy(machine, physicalLines(machine), contents);
  const first = Math.floor(0x7000 / machine.lineBytes);
  // A prefetcher asks for lines as far away as two references are.
  const lines = Array.from({ length: 3 * LINES }, (_, index) => first - LINES + index);
  const held = (level: number, unit: number): number[] =>
    lines.filter((line) => caches.levels[level][unit].holds(line));
  const run = { machine, caches, contents, held };
  for (let count = 0; count < references; count++) {
    const line = first + random.below(LINES);
    const address = line * machine.lineBytes + random.below(8);
    caches.reference(random.below(machine.cores), line, random.chance(40), address, random.below(3));
    check(run);
  }
  return run;
}

it('an inclusive level holds all that its users hold above it, an exclusive one nothing of it', () => {
  const seen = new Set<string>();
  for (const seed of SEEDS) {
    eachReference(
      seed,
      ({ machine, caches, contents }) => {
        const lower = [machine.l2, machine.llc];
        seen.add(lower.map(({ inclusion }) => inclusion).join(' '));
        lower.forEach(({ inclusion }, index) => {
          caches.levels[index + 1].forEach((_, unit) => {
            const own = contents.of(index + 1, unit);
            const users = caches.unitOf[0]
              .map((_unit, core) => core)
              .filter((core) => caches.unitOf[index + 1][core] === unit);
            const above = new Set(
              users.flatMap((core) =>
                Array.from({ length: index + 1 }, (_level, level) =>
                  contents.of(level, caches.unitOf[level][core]),
                ).flat(),
              ),
            );
            const missing = [...above].filter((line) => !own.includes(line));
            const common = own.filter((line) => above.has(line));
            if (inclusion === 'inclusive') expect(missing, `seed ${seed}`).toEqual([]);
            if (inclusion === 'exclusive') expect(common, `seed ${seed}`).toEqual([]);
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
      ({ machine, caches, contents }) => {
        const lines = new Set(
          [0, 1].flatMap((level) => caches.levels[level].flatMap((_, unit) => contents.of(level, unit))),
        );
        for (const line of lines) {
          const owner = caches.coherence.ownerOf(line);
          if (owner === undefined) continue;
          modified++;
          const holders = caches.unitOf[1].filter((_domain, core) =>
            [0, 1].some((level) => caches.levels[level][caches.unitOf[level][core]].holds(line)),
          );
          expect(holders, `seed ${seed}`).toContain(owner);
          if (machine.protocol !== 'moesi') expect([...new Set(holders)], `seed ${seed}`).toEqual([owner]);
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

it('whoever listens is told of all that comes and goes', () => {
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
  const place = physicalLines({ lineBytes: 64, pageBytes: 4096, colouring: 'random', seed: 9 });
  expect([place(64 * 70 + 3), place(64 * 5), place(64 * 70 + 63)]).toEqual([
    (mix(9, 0) % 2 ** 20) * 64 + 3,
    (mix(9, 1) % 2 ** 20) * 64,
    (mix(9, 0) % 2 ** 20) * 64 + 63,
  ]);
});

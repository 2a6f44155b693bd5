// A second simulator, deliberately naive, from docs/definitions.md alone: it reads the lines of `dump
// --references`, keeps sets as plain lists and decides every class by searching backwards through all references. It
// shares no code with src/sim.

import type { Machine } from '../../src/contract/machine.js';

export interface BruteForceTotals {
  references: number;
  hits: number[];
  misses: number[];
  /** Per level: compulsory, true-sharing, false-sharing, conflict, capacity. */
  classes: number[][];
  compulsoryShared: number[];
  invalidations: number;
  upgrades: number;
  writeBacks: number;
  cacheToCache: number;
}

interface Reference {
  readonly core: number;
  readonly isStore: boolean;
  readonly line: number;
  readonly begin: number;
  readonly end: number;
}

/** Sets as lists of line numbers, most recently used last. */
class NaiveCache {
  private readonly sets: number[][];

  constructor(
    readonly lineCount: number,
    private readonly ways: number,
  ) {
    this.sets = Array.from({ length: lineCount / ways }, () => []);
  }

  private set(line: number): number[] {
    return this.sets[line % this.sets.length];
  }

  has(line: number): boolean {
    return this.set(line).includes(line);
  }

  use(line: number): number | undefined {
    const set = this.set(line);
    this.drop(line);
    set.push(line);
    return set.length > this.ways ? set.shift() : undefined;
  }

  drop(line: number): void {
    const set = this.set(line);
    if (set.includes(line)) set.splice(set.indexOf(line), 1);
  }
}

function splitLines(dump: string, lineBytes: number): Reference[] {
  const references: Reference[] = [];
  for (const text of dump.split('\n')) {
    if (text === '') continue;
    const [core, kind, address, size] = text.split(' ');
    const start = parseInt(address, 16);
    for (let at = start; at < start + Number(size); at++) {
      const line = Math.floor(at / lineBytes);
      const last = references.at(-1);
      if (at > start && last && last.line === line) references[references.length - 1] = { ...last, end: at + 1 };
      else references.push({ core: Number(core), isStore: kind !== 'r', line, begin: at, end: at + 1 });
    }
  }
  return references;
}

export function bruteForce(dump: string, machine: Machine): BruteForceTotals {
  const references = splitLines(dump, machine.lineBytes);
  const levels = [machine.l1, machine.l2, machine.llc];
  const build = (level: number): NaiveCache =>
    new NaiveCache(levels[level].sizeBytes / machine.lineBytes, levels[level].ways);
  const cores = Array.from({ length: machine.cores }, () => ({
    l1: build(0),
    l2: build(1),
    modified: new Set<number>(),
  }));
  const group = (core: number): number => Math.floor(core / machine.coresPerLlc);
  const llcs = Array.from({ length: group(machine.cores - 1) + 1 }, () => build(2));
  const totals: BruteForceTotals = {
    references: references.length,
    hits: [0, 0, 0],
    misses: [0, 0, 0],
    classes: [0, 1, 2].map(() => [0, 0, 0, 0, 0]),
    compulsoryShared: [0, 0, 0],
    invalidations: 0,
    upgrades: 0,
    writeBacks: 0,
    cacheToCache: 0,
  };

  references.forEach((reference, index) => {
    const { core, line, isStore } = reference;
    const own = cores[core];
    const llc = llcs[group(core)];
    const holds = (other: (typeof cores)[number]): boolean => other.l1.has(line) || other.l2.has(line);
    const others = cores.filter((other) => other !== own);
    const isL1Hit = own.l1.has(line);
    const found = isL1Hit ? 0 : own.l2.has(line) ? 1 : llc.has(line) ? 2 : 3;
    for (let level = 0; level < found; level++) {
      totals.misses[level]++;
      const sharer = level < 2 ? (other: number) => other === core : (other: number) => group(other) === group(core);
      const { missClass, isShared } = classify(references, index, sharer, levels[level].sizeBytes / machine.lineBytes);
      totals.classes[level][missClass]++;
      if (isShared) totals.compulsoryShared[level]++;
    }
    if (found < 3) totals.hits[found]++;

    const dirty = others.find((other) => other.modified.has(line));
    if (found >= 2 && dirty) {
      totals.cacheToCache++;
      dirty.modified.delete(line);
      if (!isStore) totals.writeBacks++;
    }
    const victims: (number | undefined)[] = [];
    if (found >= 2) llc.use(line);
    if (found >= 1) victims.push(own.l2.use(line));
    victims.push(own.l1.use(line));
    for (const victim of victims) {
      if (victim !== undefined && own.modified.has(victim) && !own.l1.has(victim) && !own.l2.has(victim)) {
        own.modified.delete(victim);
        totals.writeBacks++;
      }
    }
    if (!isStore) return;
    const sharers = others.filter(holds);
    totals.invalidations += sharers.length;
    if (isL1Hit && sharers.length > 0) totals.upgrades++;
    for (const other of others) {
      other.l1.drop(line);
      other.l2.drop(line);
      other.modified.delete(line);
    }
    for (const other of llcs) if (other !== llc) other.drop(line);
    own.modified.add(line);
  });
  return totals;
}

function classify(
  references: readonly Reference[],
  index: number,
  isOwn: (core: number) => boolean,
  lineCount: number,
): { missClass: number; isShared: boolean } {
  const { line, begin, end } = references[index];
  let last = index - 1;
  while (last >= 0 && !(references[last].line === line && isOwn(references[last].core))) last--;
  const between = references.slice(last + 1, index);
  const foreignStores = between.filter((other) => other.line === line && other.isStore && !isOwn(other.core));
  if (last < 0) return { missClass: 0, isShared: foreignStores.length > 0 };
  if (foreignStores.some((store) => store.begin < end && begin < store.end)) return { missClass: 1, isShared: false };
  if (foreignStores.length > 0) return { missClass: 2, isShared: false };
  const lines = new Set(between.filter((other) => isOwn(other.core)).map((other) => other.line));
  return { missClass: lines.size < lineCount ? 3 : 4, isShared: false };
}

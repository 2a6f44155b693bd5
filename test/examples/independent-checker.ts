// Stage: test. `dprof dump --references` text -> totals, worked out again from the definitions alone: no import from
// src/, Maps instead of tables, one LLC that all cores share. What it says and what `dprof report --format json` says
// must be equal, count for count.

export interface CheckedLevel {
  hits: number;
  misses: number;
  classes: { compulsory: number; 'true-sharing': number; 'false-sharing': number; conflict: number; capacity: number };
}

export interface CheckedTotals {
  references: number;
  invalidations: number;
  upgrades: number;
  levels: { l1: CheckedLevel; l2: CheckedLevel; llc: CheckedLevel };
}

interface Geometry {
  readonly sets: number;
  readonly ways: number;
}

const LINE = 64;
const DEFAULT_GEOMETRY = {
  l1: { sets: 64, ways: 8 },
  l2: { sets: 1024, ways: 16 },
  llc: { sets: 32768, ways: 16 },
};

/** A set-associative LRU cache: each set lists its lines, least recently used first. */
class Cache {
  private readonly sets: number[][];
  constructor(private readonly geometry: Geometry) {
    this.sets = Array.from({ length: geometry.sets }, () => []);
  }
  private set(line: number): number[] {
    return this.sets[line % this.geometry.sets];
  }
  has(line: number): boolean {
    return this.set(line).includes(line);
  }
  remove(line: number): void {
    const set = this.set(line);
    const position = set.indexOf(line);
    if (position >= 0) set.splice(position, 1);
  }
  /** True if it hit; the line is the most recently used afterwards. */
  reference(line: number): boolean {
    const set = this.set(line);
    const position = set.indexOf(line);
    if (position >= 0) set.splice(position, 1);
    else if (set.length === this.geometry.ways) set.shift();
    set.push(line);
    return position >= 0;
  }
}

/**
 * Would a fully associative LRU of that many lines, shown every reference, have hit? A Map keeps its keys in order of
 * insertion.
 */
class FullyAssociative {
  private readonly lines = new Map<number, true>();
  constructor(private readonly capacity: number) {}
  reference(line: number): boolean {
    const hit = this.lines.delete(line);
    this.lines.set(line, true);
    if (this.lines.size > this.capacity) this.lines.delete(this.lines.keys().next().value as number);
    return hit;
  }
}

class Core {
  readonly l1 = new Cache(DEFAULT_GEOMETRY.l1);
  readonly l2 = new Cache(DEFAULT_GEOMETRY.l2);
  readonly wide1 = new FullyAssociative(DEFAULT_GEOMETRY.l1.sets * DEFAULT_GEOMETRY.l1.ways);
  readonly wide2 = new FullyAssociative(DEFAULT_GEOMETRY.l2.sets * DEFAULT_GEOMETRY.l2.ways);
  /** Line -> bytes that others stored since this core's last reference; a line it never referenced has no entry. */
  readonly foreignBytes = new Map<number, bigint>();
}

function newLevel(): CheckedLevel {
  return {
    hits: 0,
    misses: 0,
    classes: { compulsory: 0, 'true-sharing': 0, 'false-sharing': 0, conflict: 0, capacity: 0 },
  };
}

export class IndependentChecker {
  readonly totals: CheckedTotals = {
    references: 0,
    invalidations: 0,
    upgrades: 0,
    levels: { l1: newLevel(), l2: newLevel(), llc: newLevel() },
  };
  private readonly cores: Core[] = [];
  private readonly llc = new Cache(DEFAULT_GEOMETRY.llc);
  private readonly wideLlc = new FullyAssociative(DEFAULT_GEOMETRY.llc.sets * DEFAULT_GEOMETRY.llc.ways);
  private readonly referencedByAnyone = new Set<number>();

  /** One line of the dump: `core kind hexaddr size`. */
  readLine(text: string): void {
    const [core, kind, address, size] = text.split(' ');
    if (!'rwa'.includes(kind) || size === undefined) throw new Error(`not a reference: ${JSON.stringify(text)}`);
    let first = Number.parseInt(address, 16);
    const end = first + Number(size);
    while (first < end) {
      const last = Math.min(end, (Math.floor(first / LINE) + 1) * LINE);
      this.reference(Number(core), kind !== 'r', Math.floor(first / LINE), first % LINE, last - first);
      first = last;
    }
  }

  private core(number: number): Core {
    while (this.cores.length <= number) this.cores.push(new Core());
    return this.cores[number];
  }

  private reference(number: number, isStore: boolean, line: number, offset: number, size: number): void {
    const { totals } = this;
    const core = this.core(number);
    const bytes = ((1n << BigInt(size)) - 1n) << BigInt(offset);
    totals.references++;

    const hit1 = core.l1.reference(line);
    const hit2 = hit1 || core.l2.reference(line);
    const hitLlc = hit2 || this.llc.reference(line);
    const near1 = core.wide1.reference(line);
    const near2 = core.wide2.reference(line);
    const nearLlc = this.wideLlc.reference(line);

    const foreign = core.foreignBytes.get(line);
    const classify = (known: boolean, near: boolean, stored: bigint): keyof CheckedLevel['classes'] => {
      if (!known) return 'compulsory';
      if (stored !== 0n) return (stored & bytes) !== 0n ? 'true-sharing' : 'false-sharing';
      return near ? 'conflict' : 'capacity';
    };
    const count = (level: CheckedLevel, hit: boolean, known: boolean, near: boolean, stored: bigint): void => {
      if (hit) level.hits++;
      else {
        level.misses++;
        level.classes[classify(known, near, stored)]++;
      }
    };
    count(totals.levels.l1, hit1, foreign !== undefined, near1, foreign ?? 0n);
    if (!hit1) count(totals.levels.l2, hit2, foreign !== undefined, near2, foreign ?? 0n);
    if (!hit2) count(totals.levels.llc, hitLlc, this.referencedByAnyone.has(line), nearLlc, 0n);

    this.referencedByAnyone.add(line);
    core.foreignBytes.set(line, 0n);
    if (isStore) this.store(core, line, bytes, hit1);
  }

  private store(core: Core, line: number, bytes: bigint, hit1: boolean): void {
    let holders = 0;
    for (const other of this.cores) {
      if (other === core) continue;
      if (other.l1.has(line) || other.l2.has(line)) {
        holders++;
        other.l1.remove(line);
        other.l2.remove(line);
      }
      const stored = other.foreignBytes.get(line);
      if (stored !== undefined) other.foreignBytes.set(line, stored | bytes);
    }
    this.totals.invalidations += holders;
    if (hit1 && holders > 0) this.totals.upgrades++;
  }
}

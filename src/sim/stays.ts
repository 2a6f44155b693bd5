// Stage: replay. Stays of lines in units of caches: who brought a line, since when it is there, and which of its bytes
// were used. What happens to lines because of one reference is put down to what the reference belongs to.

import type { Flow } from './flow.js';
import type { CacheEvents } from './hierarchy.js';
import type { Labels } from './labels.js';
import type { Sets } from './sets.js';
import type { SimObject } from './sim-object.js';
import type { Stay } from './stay.js';
import { Takers } from './takers.js';
import type { UnusedBytes } from './unused-bytes.js';

/** The reference under way: what happens meanwhile is its doing. */
interface Cause {
  readonly slot: number;
  readonly object: SimObject | null;
  readonly line: number;
  readonly begin: number;
  readonly end: number;
  /** The core's caches, by level. */
  readonly units: readonly number[];
}

export class Stays implements CacheEvents {
  readonly takers = new Takers();
  /** The replay time of the reference under way. */
  now = 0;
  private cause: Cause | null = null;
  /** By level, the first line that had to leave a cache of the core for the reference under way. */
  readonly evictedLines: (number | null)[] = [null, null, null];
  /** That the reference under way was. */
  invalidations = 0;
  /** By level and unit, then by line. */
  private readonly units: Map<number, Stay>[][] = [[], [], []];
  /** Stays that the reference under way ended: a line that comes in elsewhere keeps its label and its life. */
  private readonly ended = new Map<number, Stay>();

  constructor(
    private readonly sets: Sets,
    private readonly labels: Labels,
    private readonly unusedBytes: UnusedBytes,
    /** null: not asked for. */
    private readonly flow: Flow | null,
  ) {}

  /** A reference to bytes [begin, end) of a line comes; what follows is its doing. */
  begin(cause: Cause): void {
    this.cause = cause;
    this.ended.clear();
    this.evictedLines.fill(null);
    this.invalidations = 0;
  }

  /** A window begins: lines stay, and who brought them stays known. */
  restart(time: number): void {
    this.takers.restart();
    this.unusedBytes.restart();
    for (const stays of this.units.flat()) for (const stay of stays.values()) stay.since = time;
  }

  /** The run is over: what is still in, leaves. */
  finish(time: number): void {
    this.now = time;
    this.units.forEach((units, level) => {
      for (const stays of units.flat()) for (const stay of stays.values()) this.end(level, stay);
    });
  }

  /** At once, as in `filled`: a prefetch may push the line out before the reference is over. */
  hit(unit: number, line: number): void {
    this.use(this.unit(0, unit).get(line)!);
  }

  filled(level: number, unit: number, line: number): void {
    const label = this.label();
    const { label: owner, life } = this.ended.get(line) ?? { label, life: this.cause!.object?.life ?? null };
    const stay: Stay = { line, label: owner, life, since: this.now, isUsed: [] };
    this.unit(level, unit).set(line, stay);
    this.takers.fills[level]++;
    this.flow?.missBins.add(level, label, this.sets.binOf(level, line));
    if (level === 0 && line === this.cause!.line) this.use(stay);
  }

  evicted(level: number, unit: number, line: number): void {
    const owner = this.unit(level, unit).get(line)!.label;
    this.takers.evict(level, this.label(), owner, this.sets.binOf(level, line));
    if (unit === this.cause!.units[level]) this.evictedLines[level] ??= line;
    this.left(level, unit, line);
  }

  left(level: number, unit: number, line: number): void {
    const stays = this.unit(level, unit);
    const stay = stays.get(line)!;
    stays.delete(line);
    this.ended.set(line, stay);
    this.end(level, stay);
  }

  invalidated(level: number, unit: number, line: number): void {
    const owner = this.unit(level, unit).get(line)!.label;
    this.invalidations++;
    this.takers.invalidate(level, this.label(), owner, this.sets.binOf(level, line));
  }

  private use({ isUsed }: Stay): void {
    for (let byte = this.cause!.begin; byte < this.cause!.end; byte++) isUsed[byte] = true;
  }

  private end(level: number, stay: Stay): void {
    if (level === 0) this.unusedBytes.count(stay);
    this.flow?.residency.count(level, stay, this.now);
  }

  private label(): number {
    return this.labels.ofReference(this.cause!.slot, this.cause!.object);
  }

  private unit(level: number, unit: number): Map<number, Stay> {
    return (this.units[level][unit] ??= new Map());
  }
}

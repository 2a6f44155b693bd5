// Stage: command line. The progress line of `dprof run`: references so far and per second, and the types with the most
// L1 misses.

import type { Catalog } from '../contract/catalog.js';
import { formatBytes, formatCount, formatShare, plural } from '../base/format-number.js';

const TOP_TYPES = 3;

export class LiveProgress {
  /** For the engine: references done, an estimate of all, then pairs of type and misses. */
  readonly buffer = new SharedArrayBuffer(8 * (2 + 2 * TOP_TYPES));
  readonly #counts = new Float64Array(this.buffer);
  #catalog: Catalog | undefined;
  #collectedBytes: (() => number) | undefined;

  constructor(private readonly program: string) {}

  /** The replay begins, maybe anew. */
  begin(catalog: Catalog): void {
    this.#counts.fill(0);
    this.#collectedBytes = undefined;
    this.#catalog = catalog;
  }

  /** From now on nothing is replayed before the program has ended, so the line shows the bytes of the trace. */
  collect(bytes: () => number): void {
    this.#collectedBytes = bytes;
  }

  /** Another line says what is going on. */
  rest(): void {
    this.#collectedBytes = undefined;
    this.#catalog = undefined;
  }

  /** How much of what the program has recorded so far is not replayed, in words. */
  describeRest(): string {
    if (this.#collectedBytes) return `all of ${formatBytes(this.#collectedBytes())} recorded`;
    const [done, recorded] = this.#counts;
    const rest = Math.round(recorded - done);
    return rest > 0 ? `about ${plural(rest, 'reference')} behind ${formatCount(done)}` : 'what is under way';
  }

  /** Empty: nothing to say now. */
  describe(seconds: number): string {
    if (this.#collectedBytes)
      return (
        `${this.program}: recording, to be replayed at its end: ${formatBytes(this.#collectedBytes())}, ` +
        `${seconds.toFixed(0)} s`
      );
    if (!this.#catalog) return '';
    const [done] = this.#counts;
    const top = this.#topTypes();
    return (
      `${this.program}: ${plural(done, 'reference')}, ${(done / seconds / 1e6).toFixed(1)} million/s, ` +
      `${seconds.toFixed(0)} s${top === '' ? '' : `; L1 misses: ${top}`}`
    );
  }

  #topTypes(): string {
    const pairs = Array.from({ length: TOP_TYPES }, (_, at) => [
      this.#counts[2 + 2 * at],
      this.#counts[3 + 2 * at],
    ]).filter(([, misses]) => misses > 0);
    const all = pairs.reduce((sum, [, misses]) => sum + misses, 0);
    return pairs.map(([type, misses]) => `${this.#nameOf(type)} ${formatShare(misses, all)}`).join(', ');
  }

  #nameOf(type: number): string {
    const { types, slots, functions } = this.#catalog!;
    if (type >= 0) return types.name[type] || '(unnamed)';
    const slot = -1 - type;
    return `heap@${(slot < slots.function.length && functions.name[slots.function[slot]]) || '(unknown)'}`;
  }
}

// Stage: replay. A trace that is being written, in memory (runtime/include/dprof/live_trace.h): its reader runs on a
// thread of the engine's, which waits there for the recorder; this side says when to pause and knows when the recorder
// is gone.

import type { ReplayInput } from '../contract/input.js';
import { addonInput, loadAddon, typedError, type LiveAnswer, type LivePlace, type LiveStop } from './native-engine.js';
import { spillPlace } from './replay.js';

export type { LiveAnswer, LiveStop } from './native-engine.js';

export const ANY_THREADS = 2 ** 32 - 1;

export class LiveTrace {
  /** Descriptors for the recorder: the trace's bytes, and the words that both sides wait on. */
  readonly data: number;
  readonly control: number;
  readonly #id: number;
  readonly #addon = loadAddon();
  /** The step under way. */
  #step: Promise<unknown> = Promise.resolve();

  /**
   * `capacity`: bytes of the trace that may be in memory; what must be kept beyond is in a file without a name.
   * `named`: in errors.
   */
  constructor(
    capacity: number,
    readonly named = 'the trace of this run',
  ) {
    ({ id: this.#id, data: this.data, control: this.control } = this.#create(capacity));
  }

  /** All that came so far can be read there, until `settle`. */
  path(): string {
    return `/proc/self/fd/${this.#addon.wholeLive(this.#id)}`;
  }

  /** The size of the trace so far, in bytes. */
  writtenBytes(): number {
    return this.#addon.writtenLive(this.#id);
  }

  /** Waits until the trace has events of the program, or never will. */
  awaitEvents(): Promise<LiveStop> {
    return this.#take(() => this.#addon.awaitLive(this.#id));
  }

  /**
   * Replays from the beginning, with at most `mostThreads` threads. The catalog has the modules in the first
   * `knownBytes` bytes.
   */
  replay(input: ReplayInput, knownBytes: number, mostThreads: number, workers: number): Promise<LiveAnswer> {
    const own = addonInput({ ...input, spill: spillPlace() }, workers);
    return this.#take(() => this.#addon.replayLive(this.#id, own, knownBytes, mostThreads));
  }

  /** For the engine, which follows the trace from its beginning: its catalog has the modules in these bytes. */
  placeFor(knownBytes: number): LivePlace {
    return { id: this.#id, knownBytes, mostThreads: ANY_THREADS };
  }

  /** Continues where the replay paused. */
  resume(): Promise<LiveAnswer> {
    return this.#take(() => this.#addon.replayLive(this.#id, null, 0, 0));
  }

  /** Reads to the end of the trace, without replaying it. */
  collect(): Promise<LiveStop> {
    return this.#take(() => this.#addon.collectLive(this.#id));
  }

  /** The next bytes of a trace that no recorder writes here; waits for room. False: the reader wants no more. */
  feed(bytes: Uint8Array): Promise<boolean> {
    return this.#addon.feedLive(this.#id, bytes);
  }

  /** The step under way ends as soon as it can. */
  pause(): void {
    this.#addon.pauseLive(this.#id);
  }

  /** The events that were replayed need not be kept. Call it between steps. */
  settle(): void {
    this.#addon.settleLive(this.#id);
  }

  /** The recorder is gone: nothing more comes. */
  end(): void {
    this.#addon.endLive(this.#id);
  }

  /** The replay reads no more: the recorder need not wait, and stops. */
  dismiss(): void {
    this.#addon.dismissLive(this.#id);
  }

  /** Ends a step that is under way, too. */
  async destroy(): Promise<void> {
    this.#addon.endLive(this.#id);
    this.#addon.pauseLive(this.#id);
    await this.#step.catch(() => {}); // whoever waits for it has the error
    this.#addon.destroyLive(this.#id);
  }

  #create(capacity: number): { id: number; data: number; control: number } {
    try {
      return this.#addon.createLive(capacity);
    } catch (error) {
      throw typedError(error, 'live trace: ');
    }
  }

  async #take<Answer>(step: () => Promise<Answer>): Promise<Answer> {
    try {
      const answer = step();
      this.#step = answer;
      return await answer;
    } catch (error) {
      throw typedError(error, `${this.named}: `);
    }
  }
}

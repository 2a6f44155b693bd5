// Stage: advice. Changes on the recorded run: placed several in one pass over the trace, replayed several at a time.

import { availableParallelism } from 'node:os';
import { DprofError } from '../base/dprof-error.js';
import type { Schedule } from '../contract/machine.js';
import type { Profile } from '../profile/profile.js';
import type { OpenedTrace } from '../replay/open-trace.js';
import type { Trials, WhatIf } from '../what-if/what-if.js';
import { candidateKey, type Candidate } from './candidate.js';
import type { Problems } from './problems.js';

/** A replay of the trace, or of one in which something is changed, on a machine of the request. */
export type Replay = (trace: OpenedTrace, machine: number, schedule: Schedule) => Promise<Profile>;

/** Each has its steps in a file while it is tried. */
const MOST_WAYS = 4;
/** Of a long run, changes are first tried on this part of it, at least so many references. */
const BEGINNING = 0.1;
const LEAST_BEGINNING = 4_000_000;

/** What came of trials, beside the same part of the run as it was. */
export interface Tried {
  readonly before: Problems;
  /** By candidateKey. What cannot be laid out so is left out. */
  readonly trials: ReadonlyMap<string, Problems>;
}

export class TrialRunner {
  /** Of the run as it was, by machine and schedule. */
  private readonly known = new Map<string, Promise<Problems>>();
  /** Of the beginning of the run as it was. */
  private beginning: Promise<Problems> | undefined;
  /** By candidateKey, of the whole run on the first machine. */
  private readonly whole = new Map<string, Problems>();
  tried = 0;

  constructor(
    private readonly trials: Trials,
    private readonly replay: Replay,
    readonly machines: number,
    readonly schedules: readonly Schedule[],
    private readonly problemsOf: (profile: Profile) => Problems,
    private readonly progress: (what: string) => void,
  ) {}

  before(machine = 0, schedule = 0): Promise<Problems> {
    const key = `${machine} ${schedule}`;
    const own = this.known.get(key) ?? this.count(this.trials.trace, machine, schedule);
    this.known.set(key, own);
    return own;
  }

  /** On the first machine; of a long run on its beginning only. */
  async tryOnBeginning(candidates: readonly Candidate[]): Promise<Tried> {
    const { references } = await this.before();
    const most = Math.max(LEAST_BEGINNING, references * BEGINNING);
    if (candidates.length === 0 || references <= 2 * most) return this.tryOnWhole(candidates);
    this.beginning ??= this.countBeginning(most);
    return { before: await this.beginning, trials: await this.tryAll(candidates, most) };
  }

  async tryOnWhole(candidates: readonly Candidate[]): Promise<Tried> {
    const trials = await this.tryAll(candidates);
    for (const [key, problems] of trials) this.whole.set(key, problems);
    return { before: await this.before(), trials };
  }

  private async countBeginning(most: number): Promise<Problems> {
    const [asItWas] = await this.trials.try([{}], most);
    try {
      return await this.count(asItWas.trace, 0, 0);
    } finally {
      asItWas.close();
    }
  }

  private async tryAll(candidates: readonly Candidate[], most = Infinity): Promise<Map<string, Problems>> {
    const found = new Map<string, Problems>();
    for (let at = 0; at < candidates.length; at += MOST_WAYS) {
      const some = candidates.slice(at, at + MOST_WAYS);
      this.progress(`trying changes: ${at} of ${candidates.length} done`);
      const placed = await this.place(some, most);
      try {
        await sideBySide(placed, async (way, index) => {
          if (way === null) return;
          this.tried++;
          found.set(candidateKey(some[index]), await this.count(way.trace, 0, 0));
        });
      } finally {
        for (const way of placed) way?.close();
      }
    }
    return found;
  }

  /** The same of one change, wherever it is to help; null: it cannot be laid out so. By machine, then by schedule. */
  async tryEverywhere(candidate: Candidate): Promise<{ counted: Problems[][]; facts: WhatIf['facts'] } | null> {
    const [placed] = await this.place([candidate]);
    if (placed === null) return null;
    try {
      const all = Array.from({ length: this.machines }, (_, machine) =>
        this.schedulesOf(machine).map((_one, schedule) => ({ machine, schedule })),
      );
      const counted: Problems[][] = all.map(() => []);
      let done = 0;
      const say = (): void => this.progress(`checking a change: ${done} of ${all.flat().length} replays done`);
      say();
      await sideBySide(all.flat(), async ({ machine, schedule }) => {
        const known = machine === 0 && schedule === 0 ? this.whole.get(candidateKey(candidate)) : undefined;
        counted[machine][schedule] = known ?? (await this.count(placed.trace, machine, schedule));
        await this.before(machine, schedule);
        done++;
        say();
      });
      return { counted, facts: placed.facts };
    } finally {
      placed.close();
    }
  }

  /** Only the first machine has all. */
  private schedulesOf(machine: number): readonly Schedule[] {
    return machine === 0 ? this.schedules : this.schedules.slice(0, 1);
  }

  private async count(trace: OpenedTrace, machine: number, schedule: number): Promise<Problems> {
    return this.problemsOf(await this.replay(trace, machine, this.schedules[schedule]));
  }

  private async place(candidates: readonly Candidate[], most = Infinity): Promise<(WhatIf | null)[]> {
    try {
      return await this.trials.try(
        candidates.map(({ request }) => request),
        most,
      );
    } catch (error) {
      if (!(error instanceof DprofError)) throw error;
      if (candidates.length === 1) return [null];
      const placed: (WhatIf | null)[] = [];
      for (const candidate of candidates) placed.push((await this.place([candidate], most))[0]);
      return placed;
    }
  }
}

/** As many at a time as there are processors. */
async function sideBySide<Item>(
  items: readonly Item[],
  work: (item: Item, index: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < items.length) {
      const index = next++;
      await work(items[index], index);
    }
  };
  await Promise.all(Array.from({ length: Math.min(items.length, availableParallelism()) }, lane));
}

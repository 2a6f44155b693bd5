// Stage: advice. Changes on the recorded run: placed several in one pass over the trace, replayed several at a time.

import { availableParallelism } from 'node:os';
import { DprofError } from '../base/dprof-error.js';
import type { Schedule } from '../contract/machine.js';
import type { Profile } from '../profile/profile.js';
import type { OpenedTrace } from '../replay/open-trace.js';
import type { Trials, WhatIf } from '../what-if/what-if.js';
import { optionsOf, type Candidate } from './candidate.js';
import type { Problems } from './problems.js';

/** A replay of the trace, or of one in which something is changed, on a machine of the request. */
export type Replay = (trace: OpenedTrace, machine: number, schedule: Schedule) => Promise<Profile>;

export interface Trial {
  readonly candidate: Candidate;
  readonly problems: Problems;
}

/** Each has its steps in a file while it is tried. */
const MOST_WAYS = 4;
/** Of a long run, changes are first tried on this part of it, at least so many references. */
const BEGINNING = 0.1;
const LEAST_BEGINNING = 4_000_000;

/** What came of trials, beside the same part of the run as it was. */
export interface Tried {
  readonly before: Problems;
  /** By options. What cannot be laid out so is left out. */
  readonly trials: ReadonlyMap<string, Trial>;
}

export class TrialRunner {
  /** Of the run as it was, by machine and schedule. */
  private readonly known = new Map<string, Promise<Problems>>();
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
    const [asItWas] = await this.trials.try([{}], most);
    try {
      const before = await this.count(asItWas.trace, 0, 0);
      return { before, trials: await this.tryAll(candidates, most) };
    } finally {
      asItWas.close();
    }
  }

  async tryOnWhole(candidates: readonly Candidate[]): Promise<Tried> {
    return { before: await this.before(), trials: await this.tryAll(candidates) };
  }

  private async tryAll(candidates: readonly Candidate[], most = Infinity): Promise<Map<string, Trial>> {
    const found = new Map<string, Trial>();
    for (let at = 0; at < candidates.length; at += MOST_WAYS) {
      const some = candidates.slice(at, at + MOST_WAYS);
      this.progress(`trying changes: ${at} of ${candidates.length} done`);
      const placed = await this.place(some, most);
      try {
        await sideBySide(placed, async (way, index) => {
          if (way === null) return;
          this.tried++;
          const problems = await this.count(way.trace, 0, 0);
          found.set(optionsOf(some[index]).join(' '), { candidate: some[index], problems });
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
        counted[machine][schedule] = await this.count(placed.trace, machine, schedule);
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

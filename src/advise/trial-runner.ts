// Stage: advice. Changes on the recorded run, or on excerpts of it: placed several in one pass over the trace, replayed
// several at a time.

import { availableParallelism } from 'node:os';
import { DprofError } from '../base/dprof-error.js';
import { sideBySide } from '../base/side-by-side.js';
import type { Schedule } from '../contract/machine.js';
import type { Profile } from '../profile/profile.js';
import type { OpenedTrace } from '../replay/open-trace.js';
import type { Trials, WhatIf } from '../what-if/what-if.js';
import { ReplayWork, type AdviceProgress } from './advice-progress.js';
import { candidateKey, type Candidate } from './candidate.js';
import type { Costs } from './problems.js';

/** A replay of the trace, or of one in which something is changed, on a machine of the request. */
export type Replay = (
  trace: OpenedTrace,
  machine: number,
  schedule: Schedule,
  workers: number,
  onProgress: (done: number, total: number) => void,
) => Promise<Profile>;

/** What all trials of a run have in common. */
export interface Trying {
  readonly replay: Replay;
  readonly machines: number;
  /** The first ones of them: the others were added, and see only excerpts of a long run. */
  readonly askedMachines: number;
  readonly schedules: readonly Schedule[];
  readonly costsOf: (profile: Profile) => Costs;
  readonly progress: AdviceProgress;
  /** What was to be tried, by candidateKey; not what is several of these together. */
  readonly changes: Map<string, Candidate>;
  /** Those of them that could be laid out, on the run or on a part of it. */
  readonly tried: Set<string>;
}

/** What came of trials, beside the same run as it was. */
export interface Tried {
  readonly before: Costs;
  /** By candidateKey. What cannot be laid out so is left out. */
  readonly trials: ReadonlyMap<string, Costs>;
}

export interface Everywhere {
  /** By machine, then by schedule. */
  readonly counted: readonly (readonly Costs[])[];
  readonly facts: WhatIf['facts'];
}

/** References that are placed at a time: each way has its steps in a file while it is tried. */
const MOST_PLACED = 400_000_000;
const MOST_WAYS = 32;

export class TrialRunner {
  /** Of the run as it was, by machine and schedule. */
  private readonly asItWas = new Map<string, Promise<Costs>>();
  /** By machine and candidateKey, under the first schedule. */
  private readonly trials = new Map<string, Costs>();
  /** By candidateKey: what cannot be laid out so, and why. */
  private readonly refused = new Map<string, DprofError>();

  /** `references`: of the run, or about that; `asItWas`: on the first machine, under the first schedule, if known. */
  constructor(
    private readonly run: Trials,
    private readonly trying: Trying,
    private readonly references: number,
    asItWas?: Costs,
  ) {
    if (asItWas) this.asItWas.set('0 0', Promise.resolve(asItWas));
  }

  before(machine = 0, schedule = 0, workers = availableParallelism()): Promise<Costs> {
    const key = `${machine} ${schedule}`;
    const known = this.asItWas.get(key);
    if (known !== undefined) return known;
    this.trying.progress.expect(this.references);
    const own = this.count(this.run.trace, machine, schedule, workers);
    this.asItWas.set(key, own);
    return own;
  }

  /** On the first machines, of which `machines` says how many; what came of it on the first one. */
  async tryAll(candidates: readonly Candidate[], machines = 1): Promise<Tried> {
    const numbers = Array.from({ length: machines }, (_, machine) => machine);
    const missing = candidates.filter(
      (candidate) =>
        !this.refused.has(candidateKey(candidate)) &&
        numbers.some((machine) => this.after(candidate, machine) === undefined),
    );
    const { progress, changes, tried } = this.trying;
    for (const one of missing) if (!one.isTogether) changes.set(candidateKey(one), one);
    progress.expect(missing.length * machines * this.references);
    const before = await this.before();
    // While some are placed, which one processor does, others are replayed.
    await sideBySide(this.parcels(missing, before), async (some, _index, workers) => {
      const placed = await this.place(some);
      try {
        for (const [index, way] of placed.entries()) {
          const key = candidateKey(some[index]);
          if (way instanceof DprofError) {
            this.refused.set(key, way);
            progress.done(machines * this.references);
            continue;
          }
          for (const machine of numbers)
            this.trials.set(`${machine} ${key}`, await this.count(way.trace, machine, 0, workers));
          if (changes.has(key)) tried.add(key);
        }
      } finally {
        for (const way of placed) if (!(way instanceof DprofError)) way.close();
      }
    });
    return { before, trials: this.known(candidates) };
  }

  /** On the first machine, by candidateKey: what was tried of these. */
  known(candidates: readonly Candidate[]): Tried['trials'] {
    return new Map(
      candidates.flatMap((candidate): [string, Costs][] => {
        const after = this.after(candidate);
        return after === undefined ? [] : [[candidateKey(candidate), after]];
      }),
    );
  }

  /** Why a change cannot be laid out so; undefined: it can, or nobody tried. */
  whyRefused(candidate: Candidate): DprofError | undefined {
    return this.refused.get(candidateKey(candidate));
  }

  /** Each is placed in one pass over the trace; all processors have one, if there are so many candidates. */
  private parcels(candidates: readonly Candidate[], { references }: Costs): Candidate[][] {
    const processors = availableParallelism();
    const room = Math.floor(MOST_PLACED / processors / Math.max(1, references));
    const most = Math.max(1, Math.min(MOST_WAYS, room, Math.ceil(candidates.length / (2 * processors))));
    return Array.from({ length: Math.ceil(candidates.length / most) }, (_, index) =>
      candidates.slice(index * most, (index + 1) * most),
    );
  }

  /** What came of a change that was tried on the machine; undefined: it was not, or it cannot be laid out so. */
  after(candidate: Candidate, machine = 0): Costs | undefined {
    return this.trials.get(`${machine} ${candidateKey(candidate)}`);
  }

  /** All that was to be tried so far, by any runner. */
  get changes(): Candidate[] {
    return [...this.trying.changes.values()];
  }

  /** Machines that were asked for. */
  get asked(): number {
    return this.trying.askedMachines;
  }

  /** The same of one change, wherever it is to help; null: it cannot be laid out so. */
  async tryEverywhere(candidate: Candidate): Promise<Everywhere | null> {
    const [placed] = await this.place([candidate]);
    if (placed instanceof DprofError) return null;
    try {
      const all = Array.from({ length: this.trying.machines }, (_, machine) =>
        this.schedulesOf(machine).map((_one, schedule) => ({ machine, schedule })),
      );
      const counted: Costs[][] = all.map(() => []);
      const knownOf = ({ machine, schedule }: { machine: number; schedule: number }): Costs | undefined =>
        schedule === 0 ? this.after(candidate, machine) : undefined;
      const missing = all.flat().filter((one) => knownOf(one) === undefined);
      this.trying.progress.expect(missing.length * this.references);
      await sideBySide(all.flat(), async (one, _index, workers) => {
        const { machine, schedule } = one;
        counted[machine][schedule] = knownOf(one) ?? (await this.count(placed.trace, machine, schedule, workers));
        await this.before(machine, schedule, workers);
      });
      return { counted, facts: placed.facts };
    } finally {
      placed.close();
    }
  }

  /** Only the first machine has all. */
  private schedulesOf(machine: number): readonly Schedule[] {
    return machine === 0 ? this.trying.schedules : this.trying.schedules.slice(0, 1);
  }

  private async count(trace: OpenedTrace, machine: number, schedule: number, workers: number): Promise<Costs> {
    const { replay, costsOf, schedules, progress } = this.trying;
    const work = new ReplayWork(progress, this.references);
    const profile = await replay(trace, machine, schedules[schedule], workers, work.upTo);
    work.end();
    return costsOf(profile);
  }

  /** An error in the place of what cannot be laid out so. */
  private place(candidates: readonly Candidate[]): Promise<(WhatIf | DprofError)[]> {
    return this.run.try(candidates.map(({ request }) => request));
  }
}

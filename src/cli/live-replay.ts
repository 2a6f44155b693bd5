// Stage: command line. The trace of a running program to its profile. On one machine it is replayed while the program
// runs, several threads in the logical order; whatever else there is, from the trace's beginning when it is whole.
// docs/architecture.md, "Streaming".

import { MOST_CORES } from '../machine/machine-description.js';
import { resolveMachine } from '../machine/parse-machine.js';
import { buildProfile } from '../profile/profile-builder.js';
import type { Profile, RunFacts } from '../profile/profile.js';
import { ANY_THREADS, type LiveAnswer, type LiveStop, type LiveTrace } from '../replay/live-trace.js';
import { NO_CHUNKS } from '../contract/input.js';
import { isPlainMachine } from '../contract/complete-machine.js';
import type { Machine } from '../contract/machine.js';
import { replayInput, type OpenedTrace } from '../replay/open-trace.js';
import type { ReplayResult } from '../contract/result.js';
import { parseJsonChunk } from '../trace/trace-reader.js';
import { DprofError } from '../base/dprof-error.js';
import type { LiveProgress } from './live-progress.js';
import type { ReplayRequest } from './machine-options.js';
import { mayGrow } from './may-grow.js';
import { openFor, replayOpened } from './replay-trace.js';
import { describeRun } from './run-facts.js';

/** Each restart replays everything once more, so their number is limited. */
const MOST_RESTARTS = 4;
/**
 * Cores cost memory and time. A machine with a core for each thread therefore starts with few of them, and gets the
 * most only if the program needs them.
 */
const FEW_THREADS = 8;
const TRACE = 'the trace of this run';
const SO_FAR = 'still running: the report is of the run so far';

export class LiveReplay {
  /** The events that were replayed are not kept, so the replay cannot begin again. */
  #isSettled = false;
  #canPause = true;

  constructor(
    private readonly live: LiveTrace,
    private readonly request: ReplayRequest,
    private readonly workers: number,
    private readonly progress: LiveProgress,
    /** Receives the profiles so far when a pause asked for them; none if nothing has come yet. */
    private readonly tell: (soFar: readonly Profile[]) => void,
  ) {}

  /** A profile of each machine; none: the recorder keeps nothing, and has said why. */
  async run(): Promise<readonly Profile[]> {
    const first = await this.#until(
      () => this.live.awaitEvents(),
      () => this.tell([]),
    );
    if (first === 'nothing') return [];
    let most = 1;
    for (let restarts = 0; first === 'events' && this.#isOneReplay() && restarts < MOST_RESTARTS; ) {
      const trace = this.#open();
      if (most === 1 && trace.threads.length !== 1) most = FEW_THREADS;
      const machine = this.#machineFor(most);
      if (machine === undefined) break;
      const isSettled = most === 1 && trace.end === null && !mayGrow(trace.header.pid, trace.modules.length);
      this.#isSettled = isSettled;
      if (isSettled) this.live.settle();
      const isFixed = this.#coresOf(1) === this.#coresOf(MOST_CORES);
      const answer = await this.#stream(
        trace,
        machine,
        most > 1 && (isFixed || most === MOST_CORES) ? ANY_THREADS : most,
      );
      if (answer.result) return [this.#profileAt(trace, answer)];
      if (isSettled)
        throw new DprofError(
          `the program has a second ${answer.stop}, although nothing in it can make one`,
          'dprof record it, then dprof report',
        );
      if (answer.stop === 'thread' && most > 1) break; // one that nobody made
      if (answer.stop === 'thread') most = FEW_THREADS;
      else if (answer.stop === 'cores') most = MOST_CORES;
      else restarts++;
    }
    const collect = (): void => this.progress.collect(() => this.live.writtenBytes());
    collect();
    const whole = await this.#until(
      () => this.live.collect(),
      async () => {
        this.tell(this.isLast ? [] : await this.#replayWhole(true));
        collect();
      },
    );
    this.#canPause = false;
    return whole === 'nothing' ? [] : this.#replayWhole(false);
  }

  /** The replay ends at the next pause: `tell` receives what there is then, and must not return. */
  isLast = false;

  /** A pause is answered at once; else the whole trace is being replayed, and nothing can be said before its end. */
  get canPause(): boolean {
    return this.#canPause;
  }

  /** Together with traces of other processes, when all have ended; `isThere`: the live one is one of them. */
  async withOthers(traces: readonly string[], isThere: boolean): Promise<readonly Profile[]> {
    if (isThere && this.#isSettled)
      throw new DprofError(
        'the program has another process, although nothing in it can make one',
        'dprof record it, then dprof report',
      );
    this.progress.rest();
    this.#canPause = false;
    const profiles: Profile[] = [];
    const trace = this.#open(traces, isThere);
    await replayOpened(
      trace,
      this.request,
      (profile, index) => void (profiles[index] = profile),
      'the traces of this run',
    );
    return profiles;
  }

  #isOneReplay(): boolean {
    const { engine, machines, schedules, map, sharedVariables } = this.request;
    if (sharedVariables) return false; // for which it has to be replayed twice
    // it is unknown on which CPUs it will run
    return engine === 'native' && machines.length === 1 && schedules === undefined && map === 'thread';
  }

  #coresOf(threads: number): number {
    return resolveMachine(this.request.machines[0], threads).cores;
  }

  /**
   * A machine that does not say its cores has as many as there were threads, in the end. It has more meanwhile, where
   * cores without a thread change nothing.
   */
  #machineFor(threads: number): Machine | undefined {
    const [asked] = this.request.machines;
    if (threads > 1 && this.request.schedule.kind !== 'logical') return undefined;
    const machine = resolveMachine(asked, threads);
    return threads === 1 ||
      this.#coresOf(1) === machine.cores ||
      (asked.sockets === undefined && isPlainMachine(machine))
      ? machine
      : undefined;
  }

  async #stream(trace: OpenedTrace, machine: Machine, most: number): Promise<LiveAnswer> {
    this.progress.begin(trace.catalog);
    const chunks = most > 1 ? [] : trace.threads;
    const input = { ...replayInput(trace, machine, this.request.schedule, this.progress.buffer), threads: chunks };
    let answer = await this.live.replay(input, trace.endOffset, most, this.workers);
    while (answer.stop === 'paused') {
      const soFar = answer;
      const next = this.live.resume(); // goes on meanwhile
      this.tell([this.#profileAt(trace, soFar)]);
      answer = await next;
    }
    return answer;
  }

  async #until(step: () => Promise<LiveStop>, paused: () => void | Promise<void>): Promise<LiveStop> {
    for (;;) {
      const stop = await step();
      if (stop !== 'paused') return stop;
      await paused();
    }
  }

  async #replayWhole(isSoFar: boolean): Promise<readonly Profile[]> {
    this.progress.rest();
    const trace = this.#open();
    const profiles: Profile[] = [];
    await replayOpened(
      trace,
      this.request,
      (profile, index) => void (profiles[index] = { ...profile, run: this.#runOf(trace, isSoFar) }),
      TRACE,
    );
    return profiles;
  }

  #profileAt(trace: OpenedTrace, { stop, result, end, offset, threads: count }: LiveAnswer): Profile {
    const parsed = end ? parseJsonChunk(TRACE, offset - end.length, end) : null;
    const threads = Array.from({ length: count }, (_, number) => trace.threads[number] ?? NO_CHUNKS);
    const ended = {
      ...trace,
      threads,
      end: parsed,
      endOffset: offset,
      truncated: parsed === null || typeof parsed.stopped === 'string',
    };
    return this.#profileOf(ended, resolveMachine(this.request.machines[0], count), result!, stop === 'paused');
  }

  #profileOf(trace: OpenedTrace, machine: Machine, result: ReplayResult, isSoFar: boolean): Profile {
    return buildProfile(result, trace.catalog, {
      run: this.#runOf(trace, isSoFar),
      machine,
      schedule: this.request.schedule,
      ...(trace.flow && { flow: trace.flow }),
    });
  }

  #runOf(trace: OpenedTrace, isSoFar: boolean): RunFacts {
    const run = describeRun(trace, true);
    return isSoFar ? { ...run, ended: SO_FAR, truncated: true } : run;
  }

  #open(others: readonly string[] = [], isThere = true): OpenedTrace {
    const path = this.live.path();
    try {
      return openFor(isThere ? [path, ...others] : others, this.request);
    } catch (error) {
      if (!(error instanceof DprofError)) throw error;
      throw new DprofError(error.message.replaceAll(path, TRACE), error.hint, error.exitCode);
    }
  }
}

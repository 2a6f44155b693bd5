// Stage: command line. The trace of a running program to its profile. One thread on one core is replayed while the program runs; whatever else
// there is, from the trace's beginning when it is whole. docs/architecture.md, "Streaming".

import { resolveMachine } from '../machine/parse-machine.js';
import { buildProfile } from '../profile/profile-builder.js';
import type { Profile } from '../profile/profile.js';
import type { LiveAnswer, LiveStop, LiveTrace } from '../replay/live-trace.js';
import { LEVELS, type Machine } from '../replay/machine.js';
import { openTrace, replayInput, withKernelStores, type OpenedTrace } from '../replay/open-trace.js';
import { replay } from '../replay/replay.js';
import type { ReplayResult } from '../replay/result.js';
import { parseJsonChunk } from '../trace/trace-reader.js';
import { DprofError } from '../base/dprof-error.js';
import type { LiveProgress } from './live-progress.js';
import type { ReplayRequest } from './machine-options.js';
import { mayGrow } from './may-grow.js';
import { describeRun } from './run-facts.js';

/** Each needs all that was replayed once more: so often, and no more. */
const MOST_RESTARTS = 4;
const SO_FAR = 'still running: the report is of the run so far';

const PLAIN: readonly string[] = ['name', 'cores', 'lineBytes', 'l1', 'l2', 'llc', 'coresPerLlc', 'memoryLatencyCycles', 'cacheToCacheLatencyCycles'];
const PLAIN_LEVEL: readonly string[] = ['sizeBytes', 'ways', 'latencyCycles'];

/** One thread meets nothing of such a machine but its first core. */
function isPlain(machine: Machine): boolean {
  const hasOnly = (object: object, names: readonly string[]): boolean => Object.entries(object).every(([name, value]) => value === undefined || names.includes(name));
  return hasOnly(machine, PLAIN) && LEVELS.every((level) => hasOnly(machine[level], PLAIN_LEVEL));
}

export class LiveReplay {
  constructor(
    private readonly live: LiveTrace,
    private readonly request: ReplayRequest,
    private readonly workers: number,
    private readonly progress: LiveProgress,
    /** What a pause was asked for: the profile so far, or undefined where nothing came yet. */
    private readonly tell: (soFar: Profile | undefined) => void,
  ) {}

  /** Undefined: the recorder keeps nothing, and has said why. */
  async run(): Promise<Profile | undefined> {
    const first = await this.#until(() => this.live.awaitEvents(), () => this.tell(undefined));
    if (first === 'nothing') return undefined;
    for (let restarts = 0; first === 'events' && this.request.engine === 'native' && restarts < MOST_RESTARTS; restarts++) {
      const trace = this.#open();
      const machine = this.#machine(trace);
      if (trace.threads.length !== 1 || !isPlain(machine)) break;
      const isSettled = trace.end === null && !mayGrow(trace.header.pid);
      if (isSettled) this.live.settle();
      const answer = await this.#stream(trace, machine);
      if (answer.result) return this.#profileAt(trace, machine, answer);
      if (isSettled) throw new DprofError(`the program has a second ${answer.stop}, although nothing in it can make one`, 'dprof record it, then dprof report');
      if (answer.stop === 'thread') break;
    }
    this.progress.collect(() => this.live.writtenBytes());
    const whole = await this.#until(() => this.live.collect(), async () => this.tell(await this.#replayWhole(true)));
    return whole === 'nothing' ? undefined : this.#replayWhole(false);
  }

  async #stream(trace: OpenedTrace, machine: Machine): Promise<LiveAnswer> {
    this.progress.begin(trace.catalog);
    let answer = await this.live.replay(replayInput(trace, { ...machine, cores: 1, coresPerLlc: 1 }, this.request.schedule, this.progress.buffer), trace.endOffset, this.workers);
    while (answer.stop === 'paused') {
      const soFar = answer;
      const next = this.live.resume(); // goes on meanwhile
      this.tell(this.#profileAt(trace, machine, soFar));
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

  async #replayWhole(isSoFar: boolean): Promise<Profile> {
    const trace = this.#open();
    const machine = this.#machine(trace);
    const { engine } = this.request;
    const result = await replay(replayInput(trace, machine, this.request.schedule), { engine, workers: this.workers });
    return this.#profileOf(trace, machine, result, isSoFar);
  }

  #profileAt(trace: OpenedTrace, machine: Machine, { stop, result, end, offset }: LiveAnswer): Profile {
    const parsed = end ? parseJsonChunk('the trace of this run', offset - end.length, end) : null;
    const ended = { ...trace, end: parsed, endOffset: offset, truncated: parsed === null || typeof parsed.stopped === 'string' };
    return this.#profileOf(ended, machine, result!, stop === 'paused');
  }

  #profileOf(trace: OpenedTrace, machine: Machine, result: ReplayResult, isSoFar: boolean): Profile {
    const run = describeRun(trace, true);
    return buildProfile(result, trace.catalog, { run: isSoFar ? { ...run, ended: SO_FAR, truncated: true } : run, machine, schedule: this.request.schedule });
  }

  #machine(trace: OpenedTrace): Machine {
    return resolveMachine(this.request.machine, trace.threads.length);
  }

  #open(): OpenedTrace {
    const path = this.live.path();
    try {
      const trace = openTrace(path);
      return this.request.kernelStores ? withKernelStores(trace) : trace;
    } catch (error) {
      if (!(error instanceof DprofError)) throw error;
      throw new DprofError(error.message.replaceAll(path, 'the trace of this run'), error.hint, error.exitCode);
    }
  }
}

// A seed to everything that both engines are given: a short made-up run, a machine, a schedule. Eight seeds in a row
// run one program: making it up and decoding it costs more than to replay what they do.

import type { FlowRequest } from '../../src/contract/flow-result.js';
import type { Machine, Schedule } from '../../src/contract/machine.js';
import { PATHS_BY, type PathBy } from '../../src/replay/places.js';
import type { RecordedCpus } from '../../src/replay/recorded-cpus.js';
import type { SharedVariablesRequest } from '../../src/contract/threads-result.js';
import type { ReplayWindow } from '../../src/contract/window.js';
import { EventCode } from '../../src/trace/layout.js';
import { writeRun, type MadeUpRun } from './made-up-run.js';
import { RandomNumbers } from './random-numbers.js';
import { randomProgram, type RandomProgram } from './random-program.js';
import { randomMachine, randomRun, randomWholeMachine } from './random-trace.js';
import { randomWindow } from './random-window.js';

const SEEDS_PER_PROGRAM = 8;
/** One in so many is long: it fills the logs that conflict and capacity are told apart with. */
const LONG_EVERY = 128;
/** One in so many is a window of its run. */
const WINDOW_EVERY = 3;
/** One in so many is asked for shared variables, most of them with room for a few. */
const SHARED_EVERY = 2;
/** One in so many has its threads on recorded CPUs. */
const CPUS_EVERY = 3;
/** All but one in so many collect the flow. */
const NO_FLOW_EVERY = 4;

export interface ReplayCase {
  readonly run: MadeUpRun;
  readonly machine: Machine;
  readonly schedule: Schedule;
  readonly kernelStores: boolean;
  /** The part of it that counts; undefined: all. */
  readonly window?: ReplayWindow;
  readonly sharedVariables?: SharedVariablesRequest;
  /** The run's facts about CPUs, if it has threads; undefined: threads are placed by their numbers. */
  readonly cpus?: RecordedCpus;
  /** undefined: the flow is not collected. */
  readonly flow?: FlowLimits;
}

/** The request for the flow; limits are so small that they are met. */
export type FlowLimits = Required<Omit<FlowRequest, 'placeOf'>> & { readonly by: PathBy };

/** `machineOf`: where machines come from. */
export type MachineSource = (seed: number) => Machine;

/** Every other one is plain: quicker engines simulate those. */
function anyMachine(seed: number): Machine {
  return seed % 2 === 0 ? randomMachine(seed) : randomWholeMachine(seed);
}

function randomFlow(random: RandomNumbers): FlowLimits {
  const limit = (most: number): number => (random.chance(50) ? most : random.below(random.pick([1, 4, 16])));
  return { by: random.pick(PATHS_BY), mostPaths: limit(1000), mostSteps: limit(250), mostOpenSteps: limit(1 << 20) };
}

export class RandomCases {
  #family = -1;
  #program: RandomProgram | null = null;

  constructor(private readonly machineOf: MachineSource = anyMachine) {}

  at(seed: number): ReplayCase {
    const random = new RandomNumbers(seed + 3_333_333);
    const family = Math.floor(seed / SEEDS_PER_PROGRAM);
    if (this.#program === null || family !== this.#family)
      this.#program = randomProgram(new RandomNumbers(family + 5_555_555));
    this.#family = family;
    const actions = random.below(LONG_EVERY) === 0 ? 120 : random.between(1, 10);
    const ofCpus = new RandomNumbers(seed + 9_999_999);
    const isOnCpus = ofCpus.below(CPUS_EVERY) === 0;
    const run = randomRun(seed, { actions, program: this.#program, ...(isOnCpus && { moves: ofCpus }) });
    const cpus = isOnCpus ? recordedCpus(run) : null;
    const ofFlow = new RandomNumbers(seed + 8_888_888);
    const ofWindow = new RandomNumbers(seed + 7_777_777);
    const ofShared = new RandomNumbers(seed + 8_888_888);
    return {
      run,
      machine: this.machineOf(seed),
      schedule: random.pick([{ kind: 'logical' }, { kind: 'recorded' }, { kind: 'random', seed }] as const),
      kernelStores: random.chance(50),
      ...(cpus && { cpus }),
      ...(ofFlow.below(NO_FLOW_EVERY) !== 0 && { flow: randomFlow(ofFlow) }),
      ...(ofShared.below(SHARED_EVERY) === 0 && {
        sharedVariables: { mostCounts: ofShared.pick([1, 4, 12, 40, 100_000]) },
      }),
      ...(ofWindow.below(WINDOW_EVERY) === 0 && { window: randomWindow(ofWindow, run) }),
    };
  }

  traceOf(seed: number): Uint8Array {
    return writeRun(this.at(seed).run);
  }
}

/** From the run's steps; null: it says none. */
export function recordedCpus({ steps }: MadeUpRun): RecordedCpus | null {
  const first: number[] = [];
  const numbers = new Set<number>();
  for (const { thread, step } of steps) {
    while (first.length <= thread) first.push(-1);
    if (step === null || !('code' in step) || step.code !== EventCode.time) continue;
    const cpu = step.cpu ?? 0;
    if (first[thread] === -1) first[thread] = cpu;
    numbers.add(cpu);
  }
  return numbers.size === 0 ? null : { numbers: [...numbers].sort((a, b) => a - b), first: Int32Array.from(first) };
}

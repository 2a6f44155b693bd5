// A case that fails to a small one that fails too: fewer steps, one access each, fewer cores, a smaller machine.

import type { CacheLevel, Machine } from '../../src/contract/machine.js';
import { lowerRun, type MadeUpStep } from '../random/made-up-run.js';
import type { ReplayCase } from '../random/random-case.js';

/** `fails`: also of cases that no recorder could have written; what it throws is no failure. */
export function minimise(one: ReplayCase, fails: (smaller: ReplayCase) => boolean): ReplayCase {
  const isWorse = (smaller: ReplayCase): boolean => {
    try {
      return fails(smaller);
    } catch {
      return false;
    }
  };
  let best = withFewerSteps(one, isWorse);
  const lowered = { ...best, run: lowerRun(best.run) };
  if (isWorse(lowered)) best = withFewerSteps(lowered, isWorse);
  for (let before: ReplayCase | null = null; best !== before; ) {
    before = best;
    for (const simpler of simplerCases(best)) {
      if (!isWorse(simpler)) continue;
      best = simpler;
      break;
    }
  }
  return withFewerSteps(best, isWorse);
}

/** Delta debugging: leaves out ever smaller stretches of steps, as long as it fails without them. */
function withFewerSteps(one: ReplayCase, isWorse: (smaller: ReplayCase) => boolean): ReplayCase {
  let { steps } = one.run;
  const withSteps = (kept: readonly MadeUpStep[]): ReplayCase => ({ ...one, run: { ...one.run, steps: kept } });
  const stillFails = (kept: readonly MadeUpStep[]): boolean => {
    if (!isWorse(withSteps(kept))) return false;
    steps = kept;
    return true;
  };
  for (const thread of new Set(steps.map((step) => step.thread)))
    stillFails(steps.filter((step) => step.thread !== thread));
  for (let stretch = Math.ceil(steps.length / 2); ; stretch = Math.ceil(stretch / 2)) {
    let isSmaller = false;
    for (let at = steps.length - stretch; at > -stretch; at -= stretch) {
      const [from, to] = [Math.max(at, 0), at + stretch];
      if (stillFails([...steps.slice(0, from), ...steps.slice(to)])) isSmaller = true;
    }
    if (stretch <= 1 && !isSmaller) break;
  }
  return withSteps(steps);
}

function* simplerCases(one: ReplayCase): Generator<ReplayCase> {
  if (one.window) {
    yield { ...one, window: undefined };
    for (const border of Object.keys(one.window)) yield { ...one, window: without(one.window, border) };
  }
  if (one.sharedVariables) yield { ...one, sharedVariables: undefined };
  if (one.cpus) yield { ...one, cpus: undefined };
  if (one.kernelStores) yield { ...one, kernelStores: false };
  if (one.schedule.kind !== 'logical') yield { ...one, schedule: { kind: 'logical' } };
  for (const machine of simplerMachines(one.machine)) yield { ...one, machine };
}

const LEVELS = ['l1', 'l2', 'llc'] as const;
const NEEDED = [
  'sizeBytes',
  'ways',
  'latencyCycles',
  'name',
  'cores',
  'lineBytes',
  'l1',
  'l2',
  'llc',
  'coresPerLlc',
  'memoryLatencyCycles',
  'cacheToCacheLatencyCycles',
];

function* simplerMachines(machine: Machine): Generator<Machine> {
  for (const cores of [1, 2, machine.cores - 1]) {
    if (cores > 0 && cores < machine.cores) yield { ...machine, cores, coresPerLlc: cores };
  }
  if (machine.coresPerLlc < machine.cores) yield { ...machine, coresPerLlc: machine.cores };
  for (const option of Object.keys(machine).filter((key) => !NEEDED.includes(key))) yield without(machine, option);
  for (const name of LEVELS) {
    const level = machine[name];
    for (const option of Object.keys(level).filter((key) => !NEEDED.includes(key)))
      yield { ...machine, [name]: without(level, option) };
    const sets = level.sizeBytes / machine.lineBytes / level.ways;
    const shaped = (newSets: number, ways: number): CacheLevel => ({
      ...level,
      sizeBytes: newSets * ways * machine.lineBytes,
      ways,
    });
    if (sets > 1) yield { ...machine, [name]: shaped(1, level.ways) };
    if (level.ways > 1) yield { ...machine, [name]: shaped(sets, 1) };
    if (sets > 1) yield { ...machine, [name]: shaped(Math.floor(sets / 2), level.ways) };
  }
}

function without<T extends object>(object: T, key: string): T {
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== key)) as T;
}

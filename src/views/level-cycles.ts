// Stage: profile -> views. What the misses of each level cost, and which level and class cost most. The latency beyond
// an L1 hit is divided among the levels that were missed, so it adds up. docs/definitions.md has the rule.

import { completeMachine } from '../contract/complete-machine.js';
import { CLASSES, LEVELS, type LevelName, type Machine, type MissClass } from '../contract/machine.js';
import { CLASS_NAMES, LEVEL_NAMES } from './class-names.js';
import type { ClassCounts } from './counter-sums.js';

/** The level and class whose misses cost most; null where nothing missed. */
export interface Costliest {
  readonly level: LevelName | null;
  readonly class: MissClass | null;
  readonly cycles: number;
  /** Of the cycles of all levels together. */
  readonly share: number;
}

export interface LevelCycles {
  /** Cycles by the level whose miss made a reference wait for them. */
  readonly levelCycles: Record<LevelName, number>;
  readonly costliest: Costliest;
}

type Counter = (name: string) => number;

/** `only`: the level that the costliest class is looked for in, if not in all. */
export function costOfLevels(get: Counter, machine: Machine, only?: LevelName): LevelCycles {
  const costs = LEVELS.map((level) => costOf(get, machine, level));
  const [l1, l2, llc] = costs.map(({ cycles }) => cycles);
  const asked = only === undefined ? costs : costs.filter(({ level }) => level === only);
  return { levelCycles: { l1, l2, llc }, costliest: mostOf(asked, l1 + l2 + llc) };
}

/** Of equal ones the level that is nearer, then the class that is tried first. */
function mostOf(costs: readonly LevelCost[], all: number): Costliest {
  const [most] = costs
    .flatMap(({ level, classes }) => CLASSES.map((name) => ({ level, class: name, cycles: classes[name] })))
    .sort((a, b) => b.cycles - a.cycles);
  return most.cycles > 0 ? { ...most, share: most.cycles / all } : { level: null, class: null, cycles: 0, share: 0 };
}

/** Of each level: the cycles of each class. */
export function cyclesByClass(get: Counter, machine: Machine): Record<LevelName, ClassCounts> {
  const [l1, l2, llc] = LEVELS.map((level) => costOf(get, machine, level).classes);
  return { l1, l2, llc };
}

/**
 * The level whose classes say most: that with most cycles by misses that some cache could have avoided, so not by
 * compulsory ones. Without any, the level with most cycles.
 */
export function chooseLevel(get: Counter, machine: Machine): LevelName {
  const costs = LEVELS.map((level) => costOf(get, machine, level));
  const avoidable = ({ cycles, classes }: LevelCost): number => cycles - classes.compulsory;
  const isAnyAvoidable = costs.some((one) => avoidable(one) > 0);
  const cost = isAnyAvoidable ? avoidable : ({ cycles }: LevelCost): number => cycles;
  return costs.reduce((most, one) => (cost(one) > cost(most) ? one : most)).level;
}

interface LevelCost {
  readonly level: LevelName;
  readonly cycles: number;
  readonly classes: ClassCounts;
}

function costOf(get: Counter, machine: Machine, level: LevelName): LevelCost {
  const misses = CLASSES.map((name) => get(`${level}.${name}`));
  const { l1, l2, llc } = machine;
  const [wait, supply] = {
    l1: () => [(l2.latencyCycles - l1.latencyCycles) * sum(misses), 0],
    l2: () => [(llc.latencyCycles - l2.latencyCycles) * sum(misses), supplyCycles(get, machine)],
    llc: () => [memoryCycles(get, machine), 0],
  }[level]();
  // Another core's cache supplies a line that it stored to: to a reference that misses by sharing, or for the first
  // time.
  const suppliable = CLASSES.map((name) =>
    name === 'compulsory' ? get(`${level}.compulsoryShared`) : name.endsWith('sharing') ? get(`${level}.${name}`) : 0,
  );
  const supplied = sum(suppliable) > 0 ? suppliable : misses;
  const classes = CLASSES.map((name, at) => [name, wait * partOf(misses, at) + supply * partOf(supplied, at)]);
  return { level, cycles: wait + supply, classes: Object.fromEntries(classes) as ClassCounts };
}

function partOf(numbers: readonly number[], at: number): number {
  const all = sum(numbers);
  return all === 0 ? 0 : numbers[at] / all;
}

/** What memory takes longer than the LLC. */
function memoryCycles(get: Counter, machine: Machine): number {
  const { llc, memoryLatencyCycles, remoteMemoryLatencyCycles } = completed(machine);
  return (
    get('served.memory') * (memoryLatencyCycles - llc.latencyCycles) +
    get('served.remote-memory') * (remoteMemoryLatencyCycles - llc.latencyCycles)
  );
}

/** What another core's cache takes longer than the LLC. */
function supplyCycles(get: Counter, machine: Machine): number {
  const { llc, cacheToCacheLatencyCycles, remoteCacheLatencyCycles } = completed(machine);
  return (
    get('served.cache') * (cacheToCacheLatencyCycles - llc.latencyCycles) +
    get('served.remote-cache') * (remoteCacheLatencyCycles - llc.latencyCycles)
  );
}

const known = new WeakMap<Machine, ReturnType<typeof completeMachine>>();

/** It is asked for every row. */
function completed(machine: Machine): ReturnType<typeof completeMachine> {
  const own = known.get(machine) ?? completeMachine(machine);
  known.set(machine, own);
  return own;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** "L2 conflict"; null: nothing missed. */
export function spellCostliest({ level, class: name }: Pick<Costliest, 'level' | 'class'>): string | null {
  return level === null || name === null ? null : `${LEVEL_NAMES[level]} ${CLASS_NAMES[name]}`;
}

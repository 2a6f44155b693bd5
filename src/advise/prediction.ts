// Stage: advice. What a change brings, wherever it is to help.

import type { LevelName } from '../contract/machine.js';
import type { ChangedStruct } from './changed-structs.js';
import { optionsOf, type Candidate } from './candidate.js';
import type { Costs } from './problems.js';
import type { Everywhere, TrialRunner } from './trial-runner.js';

export interface Prediction {
  /** `low`, `high`: of `after`, under all schedules. */
  readonly cycles: { readonly before: number; readonly after: number; readonly low: number; readonly high: number };
  /** After : before, of the same schedule each. */
  readonly ratio: { readonly low: number; readonly high: number };
  readonly misses: Readonly<Record<LevelName, { readonly before: number; readonly after: number }>>;
  /** Cycles of the whole run on a processor that overlaps misses (views/run-cycles.ts). */
  readonly runTime: { readonly before: number; readonly after: number };
  /**
   * Estimated cycles on each machine, the first one included, under the first schedule; of a long run, on one that was
   * not asked for as the ratios of the excerpts say.
   */
  readonly machines: readonly { readonly before: number; readonly after: number }[];
}

/** A change, and what it brings. */
export interface Predicted {
  readonly text: string;
  /** Given to dprof what-if, they repeat the prediction. */
  readonly options: readonly string[];
  /** Of structs and classes that are laid out anew, those that hold one included. */
  readonly sizes: readonly {
    readonly type: string;
    readonly bytesBefore: number;
    readonly bytesAfter: number;
    readonly coldBytes: number;
  }[];
  readonly predicted: Prediction;
}

export interface Change extends Predicted {
  /** What it lays out anew, with what the run as it was made of the fields. */
  readonly structs: readonly ChangedStruct[];
}

/** A change that does harm nowhere. */
export interface Holding {
  readonly candidate: Candidate;
  readonly change: Predicted;
  /** On the first machine. */
  readonly after: Costs;
}

/** Of estimated cycles: less is none. */
const HARM = 0.001;

/** An instruction a cycle, and what misses cost. */
export function runOf({ cycles, instructions }: Costs): number {
  return cycles + instructions;
}

export function gainOf({ cycles: { before, after } }: Pick<Prediction, 'cycles'>): number {
  return before - after;
}

/** Whether a change brings anything, and at least `leastGain` of the run. */
export function isEnough(before: Costs, after: Costs, leastGain: number): boolean {
  const gain = before.cycles - after.cycles;
  return gain > 0 && gain >= leastGain * runOf(before);
}

/** Null: somewhere it does harm, or it brings less than `leastGain` of the run on the first machine. */
export async function predict(candidate: Candidate, runner: TrialRunner, leastGain: number): Promise<Holding | null> {
  const tried = await runner.tryEverywhere(candidate);
  if (tried === null) return null;
  const { counted } = tried;
  const machines: { before: number; after: number }[] = [];
  const ratios: number[] = [];
  for (const [machine, schedules] of counted.entries())
    for (const [schedule, { cycles }] of schedules.entries()) {
      const was = (await runner.before(machine, schedule)).cycles;
      if (cycles > was * (1 + HARM)) return null;
      if (schedule === 0) machines.push({ before: was, after: cycles });
      if (machine === 0) ratios.push(cycles / Math.max(1, was));
    }
  const [before, [[after]]] = [await runner.before(), counted];
  if (!isEnough(before, after, leastGain)) return null;
  const cycles = counted[0].map((one) => one.cycles);
  const predicted = {
    cycles: { before: before.cycles, after: after.cycles, low: Math.min(...cycles), high: Math.max(...cycles) },
    ratio: { low: Math.min(...ratios), high: Math.max(...ratios) },
    misses: missesOf(before, after),
    runTime: { before: before.runCycles, after: after.runCycles },
    machines,
  };
  return { candidate, change: { ...changeOf(candidate, tried), predicted }, after };
}

/** What held on a part of the run, predicted of the whole; null: there it brings less than `leastGain`. */
export async function predictWhole(
  { candidate, change }: Holding,
  whole: TrialRunner,
  leastGain: number,
): Promise<Predicted | null> {
  const { before } = await whole.tryAll([candidate], whole.asked);
  const machines: { before: number; after: number }[] = [];
  for (let machine = 0; machine < whole.asked; machine++) {
    const [was, is] = [await whole.before(machine), whole.after(candidate, machine)];
    if (is === undefined || is.cycles > was.cycles * (1 + HARM)) return null;
    machines.push({ before: was.cycles, after: is.cycles });
  }
  const after = whole.after(candidate)!;
  if (!isEnough(before, after, leastGain)) return null;
  const { cycles: part, ratio: ofPart } = change.predicted;
  const scale = after.cycles / Math.max(1, part.after);
  const scaleBefore = before.cycles / Math.max(1, part.before);
  const ratioScale = scale / Math.max(Number.MIN_VALUE, scaleBefore);
  for (const one of change.predicted.machines.slice(whole.asked))
    machines.push({ before: Math.round(one.before * scaleBefore), after: Math.round(one.after * scale) });
  const ratio = { low: ofPart.low * ratioScale, high: ofPart.high * ratioScale };
  const cycles = {
    before: before.cycles,
    after: after.cycles,
    low: Math.round(part.low * scale),
    high: Math.round(part.high * scale),
  };
  const runTime = { before: before.runCycles, after: after.runCycles };
  return { ...change, predicted: { cycles, ratio, misses: missesOf(before, after), runTime, machines } };
}

function changeOf(candidate: Candidate, { facts }: Everywhere): Omit<Predicted, 'predicted'> {
  const sizes = facts.types.map((type) => ({
    ...type,
    coldBytes: facts.parts.find((part) => part.type === type.type)?.coldBytes ?? 0,
  }));
  return { text: candidate.text, options: optionsOf(candidate), sizes };
}

function missesOf(before: Costs, after: Costs): Prediction['misses'] {
  const counts = (level: LevelName): { before: number; after: number } => ({
    before: before.misses[level],
    after: after.misses[level],
  });
  return { l1: counts('l1'), l2: counts('l2'), llc: counts('llc') };
}

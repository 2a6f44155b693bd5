// Stage: samples -> profile. DProf's simulation of the working set: objects drawn by how often they were allocated,
// each with the address and life of a drawn one; a path drawn by its frequency; its accesses played through the
// machine's caches; its lines removed at its free. Done over and over.

import { quantileInterval, type Interval } from '../../base/intervals.js';
import { finalise } from '../../base/finaliser.js';
import { completeMachine } from '../../contract/complete-machine.js';
import { LEVELS, type Machine } from '../../contract/machine.js';
import { setBinsOf } from '../../contract/result.js';
import { LineCache } from './line-cache.js';
import { isCrowded } from './miss-classes.js';
import type { DrawnObject } from './sampled-objects.js';

export interface PlayedStep {
  readonly offset: number;
  readonly bytes: number;
  /** Nanoseconds since the allocation; of a path that is assumed, the share of the life. */
  readonly time: number;
  readonly elsewhere: boolean;
}

export interface PlayedPath {
  /** Objects that take it. */
  readonly weight: number;
  readonly steps: readonly PlayedStep[];
  readonly isAssumed: boolean;
}

export interface PlayedType {
  readonly type: number;
  /** All that lived; those that were drawn stand for them. */
  readonly allocations: number;
  readonly objects: readonly DrawnObject[];
  readonly paths: readonly PlayedPath[];
}

export interface Playing {
  readonly types: readonly PlayedType[];
  readonly machine: Machine;
  readonly runNs: number;
  readonly seed: number;
  readonly repetitions: number;
}

/** Averages over the repetitions; by level. */
export interface PlayedSets {
  /** On average over time, by type. */
  readonly residentLines: readonly ReadonlyMap<number, { readonly mean: number; readonly interval: Interval }>[];
  /** Distinct lines, by set. */
  readonly setLines: readonly Float64Array[];
  /** By type, then bin: distinct lines, and objects. */
  readonly bins: readonly ReadonlyMap<number, { readonly lines: Float64Array; readonly objects: Float64Array }>[];
  /** By type: the share of its lines that lie in crowded sets. */
  readonly crowded: readonly ReadonlyMap<number, number>[];
  readonly objects: number;
  readonly windowNs: number;
}

export const REPETITIONS = 20;
/** The most accesses, and the most objects alive at a time, for which a repetition is begun. */
const MOST_EVENTS = 100_000;
const MOST_OBJECTS = 200_000;

/** null: more objects live at a time than can be played. */
export function simulateWorkingSet(playing: Playing): PlayedSets | null {
  const { types, runNs, repetitions, machine } = playing;
  const events = types.reduce((sum, type) => sum + type.allocations * (1 + meanSteps(type)), 0);
  const windowNs = events <= MOST_EVENTS ? runNs : Math.max(1, Math.floor((runNs * MOST_EVENTS) / events));
  const results = new Repetitions(machine, repetitions);
  let objects = 0;
  for (let repetition = 0; repetition < repetitions; repetition++) {
    const draws = new Uniform(playing.seed * 7919 + repetition);
    const from = windowNs === runNs ? 0 : Math.floor(draws.next() * (runNs - windowNs));
    const drawn = drawObjects(types, from, from + windowNs, draws);
    if (drawn === null) return null;
    objects += drawn.length;
    results.add(play(drawn, machine, from, windowNs));
  }
  return { ...results.average(), objects: objects / repetitions, windowNs };
}

/** Numbers from 0 to 1. */
class Uniform {
  constructor(private state: number) {}

  next(): number {
    this.state = (this.state + 0x9e3779b9) >>> 0;
    return finalise(this.state) / 2 ** 32;
  }
}

interface Played {
  readonly type: number;
  readonly object: DrawnObject;
  readonly path: PlayedPath;
}

function meanSteps({ paths }: PlayedType): number {
  const all = paths.reduce((sum, { weight }) => sum + weight, 0);
  return all === 0 ? 0 : paths.reduce((sum, { weight, steps }) => sum + (weight / all) * steps.length, 0);
}

/**
 * Those that live in a part of the run. Where all objects are known, each as it was; else as many, drawn among those
 * that are.
 */
function drawObjects(types: readonly PlayedType[], from: number, to: number, draws: Uniform): Played[] | null {
  const all: Played[] = [];
  for (const { type, allocations, objects, paths } of types) {
    const there = objects.filter((object) => object.born < to && object.end >= from);
    const count = Math.round((allocations * there.length) / objects.length);
    if (all.length + count > MOST_OBJECTS) return null;
    for (let index = 0; index < count; index++) {
      const object = count === there.length ? there[index] : there[Math.floor(draws.next() * there.length)];
      all.push({ type, object, path: drawPath(paths, draws) });
    }
  }
  return all;
}

function drawPath(paths: readonly PlayedPath[], draws: Uniform): PlayedPath {
  let left = draws.next() * paths.reduce((sum, { weight }) => sum + weight, 0);
  for (const path of paths) {
    left -= path.weight;
    if (left < 0) return path;
  }
  return paths[paths.length - 1];
}

/** The result of one repetition, by level. */
interface Outcome {
  readonly residentLines: readonly ReadonlyMap<number, number>[];
  readonly linesOfType: ReadonlyMap<number, ReadonlySet<number>>;
  /** By type: objects by line. */
  readonly objectsOfType: ReadonlyMap<number, readonly Played[]>;
}

const FREE = -1;
/** A register watches 8 bytes at most. */
const MOST_STEP_LINES = 64;

function play(drawn: readonly Played[], machine: Machine, from: number, windowNs: number): Outcome {
  const { lineBytes, cores, coresPerL1, coresPerL2, coresPerLlc } = completeMachine(machine);
  const to = from + windowNs;
  const perUnit = [coresPerL1, coresPerL2, coresPerLlc];
  const units = LEVELS.map((level, index) =>
    Array.from({ length: Math.ceil(cores / perUnit[index]) }, () => new LineCache(machine[level], lineBytes, from)),
  );
  const events = drawn.flatMap(({ object, path }, number) => [
    ...path.steps.map((step, at) => ({
      time: Math.min(object.end, object.born + (path.isAssumed ? step.time * (object.end - object.born) : step.time)),
      number,
      at,
    })),
    { time: object.died === -1 ? Infinity : object.end, number, at: FREE },
  ]);
  // At one instant an object's accesses come before its free.
  events.sort(
    (a, b) => a.time - b.time || a.number - b.number || Number(a.at === FREE) - Number(b.at === FREE) || a.at - b.at,
  );
  const linesOfType = new Map<number, Set<number>>();
  const objectsOfType = new Map<number, Played[]>();
  for (const one of drawn) {
    const own = objectsOfType.get(one.type);
    if (own === undefined) objectsOfType.set(one.type, [one]);
    else own.push(one);
  }
  for (const { time, number, at } of events) {
    if (time >= to) break;
    const { type, object, path } = drawn[number];
    if (at === FREE) {
      const { first, count } = linesOf(object, 0, object.bytes, lineBytes);
      units.forEach((own) => own.forEach((cache) => cache.remove(first, count, time)));
      continue;
    }
    const step = path.steps[at];
    const { first, count } = linesOf(object, step.offset, step.bytes, lineBytes);
    for (let index = 0; index < Math.min(count, MOST_STEP_LINES); index++) {
      const line = first + index;
      let known = linesOfType.get(type);
      if (known === undefined) linesOfType.set(type, (known = new Set()));
      known.add(line);
      const core = (object.core + (step.elsewhere ? 1 : 0)) % cores;
      for (const [level, own] of units.entries())
        if (own[Math.floor(core / perUnit[level])].touch(line, type, time)) break;
    }
  }
  units.forEach((own) => own.forEach((cache) => cache.finish(to)));
  const residentLines = units.map((own) => {
    const sums = new Map<number, number>();
    for (const { lineTime } of own)
      for (const [type, time] of lineTime) sums.set(type, (sums.get(type) ?? 0) + time / windowNs);
    return sums;
  });
  return { residentLines, linesOfType, objectsOfType };
}

interface LineRange {
  readonly first: number;
  readonly count: number;
}

/** The first line and how many: an object may have more of them than any cache. */
function linesOf({ address, bytes: size }: DrawnObject, offset: number, bytes: number, lineBytes: number): LineRange {
  const end = address + Math.min(Math.max(size, 1), offset + Math.max(bytes, 1));
  const first = Math.floor((address + Math.min(offset, Math.max(0, size - 1))) / lineBytes);
  return { first, count: Math.max(1, Math.ceil(end / lineBytes) - first) };
}

/** Sums over repetitions. */
class Repetitions {
  readonly #resident: Map<number, number[]>[] = LEVELS.map(() => new Map());
  readonly #sets: Float64Array[];
  readonly #bins: Map<number, { lines: Float64Array; objects: Float64Array }>[] = LEVELS.map(() => new Map());
  readonly #crowded: Map<number, number>[] = LEVELS.map(() => new Map());

  constructor(
    private readonly machine: Machine,
    private readonly count: number,
  ) {
    this.#sets = LEVELS.map((level) => new Float64Array(setBinsOf(machine[level], machine.lineBytes).sets));
  }

  add({ residentLines, linesOfType, objectsOfType }: Outcome): void {
    const { machine } = this;
    const distinct = new Set([...linesOfType.values()].flatMap((lines) => [...lines]));
    LEVELS.forEach((level, index) => {
      for (const [type, lines] of residentLines[index]) {
        const own = this.#resident[index].get(type);
        if (own === undefined) this.#resident[index].set(type, [lines]);
        else own.push(lines);
      }
      const { sets, setsPerBin, bins } = setBinsOf(machine[level], machine.lineBytes);
      const given = new Float64Array(sets);
      for (const line of distinct) given[line % sets]++;
      given.forEach((lines, set) => (this.#sets[index][set] += lines));
      for (const [type, lines] of linesOfType) {
        let own = this.#bins[index].get(type);
        if (own === undefined)
          this.#bins[index].set(type, (own = { lines: new Float64Array(bins), objects: new Float64Array(bins) }));
        let crowded = 0;
        for (const line of lines) {
          own.lines[Math.floor((line % sets) / setsPerBin)]++;
          if (isCrowded(given, line % sets, machine[level].ways, distinct.size)) crowded++;
        }
        this.#crowded[index].set(type, (this.#crowded[index].get(type) ?? 0) + crowded / lines.size);
        for (const { object } of objectsOfType.get(type) ?? []) {
          const { first, count } = linesOf(object, 0, object.bytes, machine.lineBytes);
          if (count >= sets) {
            own.objects.forEach((_, bin) => own.objects[bin]++);
            continue;
          }
          const met = new Set<number>();
          for (let index = 0; index < count; index++) met.add(Math.floor(((first + index) % sets) / setsPerBin));
          for (const bin of met) own.objects[bin]++;
        }
      }
    });
  }

  average(): Pick<PlayedSets, 'residentLines' | 'setLines' | 'bins' | 'crowded'> {
    const residentLines = this.#resident.map(
      (types) =>
        new Map(
          Array.from(types, ([type, seen]) => {
            const values = [...seen, ...new Array<number>(this.count - seen.length).fill(0)];
            return [
              type,
              { mean: values.reduce((sum, lines) => sum + lines, 0) / this.count, interval: quantileInterval(values) },
            ] as const;
          }),
        ),
    );
    const share = (sums: Float64Array): Float64Array => sums.map((sum) => sum / this.count);
    return {
      residentLines,
      setLines: this.#sets.map(share),
      bins: this.#bins.map(
        (types) =>
          new Map(
            Array.from(types, ([type, { lines, objects }]) => [type, { lines: share(lines), objects: share(objects) }]),
          ),
      ),
      crowded: this.#crowded.map((types) => new Map(Array.from(types, ([type, sum]) => [type, sum / this.count]))),
    };
  }
}

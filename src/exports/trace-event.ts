// Stage: profile -> Trace Event JSON, for Perfetto and chrome://tracing: live bytes and objects of each type over
// replay time, and the program's phases.
//
// A microsecond of the timeline is a thousand instructions of replay time. A merged profile's runs are processes beside
// each other.

import { isTypeAsked } from '../base/type-name.js';
import { listObjects } from '../profile/object-source.js';
import type { Phase, Profile } from '../profile/profile.js';
import type { RowFilter } from '../views/view.js';

/** Instructions. */
const TIME_UNIT = 1000;
const MOST_EVENTS = 200_000;
const MOST_PER_TYPE = 2000;

export interface TraceEvent {
  readonly name: string;
  readonly ph: 'C' | 'M' | 'X' | 'i';
  readonly pid: number;
  readonly tid?: number;
  readonly ts?: number;
  readonly dur?: number;
  readonly s?: 'p';
  readonly args?: Readonly<Record<string, string | number>>;
}

interface Change {
  readonly time: number;
  readonly bytes: number;
  readonly objects: number;
}

export function* writeTraceEvents(profile: Profile, { type }: RowFilter): Generator<string> {
  yield '{"displayTimeUnit":"ns","otherData":{"exporter":"dprof","timeUnit":"1 us = 1000 instructions of replay ' +
    'time"},"traceEvents":[\n';
  let isFirst = true;
  for (const event of listEvents(profile, type)) {
    yield `${isFirst ? '' : ',\n'}${JSON.stringify(event)}`;
    isFirst = false;
  }
  yield '\n]}\n';
}

function* listEvents(profile: Profile, type: string | undefined): Generator<TraceEvent> {
  const { types, strings, run, totals, phases } = profile;
  const runs = profile.runs ?? [{ run, instructions: totals.instructions, phases, objects: Infinity }];
  const changes = collectChanges(
    profile,
    runs.map(({ objects }) => objects),
  );
  const tracks = changes.reduce((sum, own) => sum + own.size, 0);
  const most = Math.max(2, Math.min(MOST_PER_TYPE, Math.floor(MOST_EVENTS / Math.max(1, tracks))));
  for (const [index, { run: facts, instructions, phases: own }] of runs.entries()) {
    const pid = index + 1;
    yield { name: 'process_name', ph: 'M', pid, args: { name: facts.command.join(' ') } };
    yield* phaseEvents(own, instructions, pid);
    for (const [row, list] of [...changes[index]].sort(([a], [b]) => a - b)) {
      const name = strings[types.name[row]];
      if (type !== undefined && !isTypeAsked(name, type)) continue;
      for (const { time, bytes, objects } of thin(sumUp(list), most, instructions)) {
        yield { name: `live bytes: ${name}`, ph: 'C', pid, ts: time / TIME_UNIT, args: { bytes } };
        yield { name: `live objects: ${name}`, ph: 'C', pid, ts: time / TIME_UNIT, args: { objects } };
      }
    }
  }
}

function* phaseEvents(phases: readonly Phase[], end: number, pid: number): Generator<TraceEvent> {
  if (phases.length === 0) return;
  yield { name: 'thread_name', ph: 'M', pid, tid: 0, args: { name: 'phases' } };
  for (const [index, { name, time }] of phases.entries()) {
    yield {
      name,
      ph: 'X',
      pid,
      tid: 0,
      ts: time / TIME_UNIT,
      dur: Math.max(0, (phases[index + 1]?.time ?? end) - time) / TIME_UNIT,
    };
  }
}

/** Births and deaths by type, for each run. A stack variable counts from its first life to its last. */
function collectChanges(profile: Profile, objectsOfRuns: readonly number[]): Map<number, Change[]>[] {
  const changes = objectsOfRuns.map(() => new Map<number, Change[]>());
  let run = 0;
  let end = objectsOfRuns[0];
  for (const { first, objects } of listObjects(profile)) {
    for (let object = 0; object < objects.type.length; object++) {
      while (first + object >= end) end += objectsOfRuns[++run];
      const list = changes[run].get(objects.type[object]) ?? [];
      changes[run].set(objects.type[object], list);
      const bytes = objects.sizeBytes[object];
      list.push({ time: objects.bornAt[object], bytes, objects: 1 });
      if (objects.diedAt[object] !== -1) list.push({ time: objects.diedAt[object], bytes: -bytes, objects: -1 });
    }
  }
  return changes;
}

/** Sums changes up to levels: what lives from the time of each change on. */
function sumUp(changes: readonly Change[]): Change[] {
  const levels: Change[] = [];
  let [bytes, objects] = [0, 0];
  const sorted = [...changes].sort((a, b) => a.time - b.time);
  sorted.forEach((change, index) => {
    bytes += change.bytes;
    objects += change.objects;
    if (sorted[index + 1]?.time !== change.time) levels.push({ time: change.time, bytes, objects });
  });
  return levels;
}

/**
 * If there are more than `most` levels, keeps the levels that hold at `most` equally spaced times. Each kept level is
 * exact at its time.
 */
function thin(levels: readonly Change[], most: number, end: number): Change[] {
  if (levels.length <= most) return [...levels];
  const last = Math.max(end, levels[levels.length - 1].time);
  const kept: Change[] = [];
  let at = 0;
  for (let part = 0; part < most; part++) {
    const time = Math.floor((last * part) / (most - 1));
    while (at + 1 < levels.length && levels[at + 1].time <= time) at++;
    if (levels[at].time <= time) kept.push({ ...levels[at], time });
  }
  return kept;
}

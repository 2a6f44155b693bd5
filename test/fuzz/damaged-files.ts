// Damaged files through every reader, and both engines on what can still be read: a result, or one typed error with its
// place. Each case has limits of time and memory.

import { writeFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { DprofError } from '../../src/base/dprof-error.js';
import { describeRun } from '../../src/cli/run-facts.js';
import { SamplesError } from '../../src/hardware/samples/samples-error.js';
import { buildProfile } from '../../src/profile/profile-builder.js';
import { decodeProfile } from '../../src/profile/profile-reader.js';
import { encodeProfile } from '../../src/profile/profile-writer.js';
import type { ReplayInput } from '../../src/contract/input.js';
import type { ReplayResult } from '../../src/contract/result.js';
import { openTrace, replayInput } from '../../src/replay/open-trace.js';
import { StepCursor } from '../../src/order/step-cursor.js';
import { Accesses } from '../../src/sim/references.js';
import { simulate } from '../../src/sim/simulate.js';
import { PathTable } from '../../src/trace/path-table.js';
import { TraceError } from '../../src/trace/trace-error.js';
import { TraceFile } from '../../src/trace/trace-file.js';
import { randomMachine, randomTrace } from '../random/random-trace.js';
import { RandomNumbers } from '../random/random-numbers.js';
import { damageTrace, mutate } from './damage.js';
import { watchLimits } from './limits.js';
import { HEADER_BYTES, ProfileError } from '../../src/profile/profile-error.js';
import { replayNatively } from '../engine/replay-natively.js';

const TRACES = 16;
const MOST_STEPS = 200_000;

export interface Outcomes {
  refusedByReader: number;
  refusedByEngine: number;
  replayed: number;
  /** Not replayed: they would take too long. */
  endless: number;
}

/**
 * The outcomes that a damaged file may have: undefined, a result; or a typed error that names what was expected and
 * what was found.
 */
export function attempt(label: string, work: () => void): boolean {
  const tooMuch = watchLimits();
  let isRefused = false;
  try {
    work();
  } catch (error) {
    isRefused = true;
    if (!(error instanceof DprofError)) throw new Error(`${label}: no typed error`, { cause: error });
    if (error.message === '' || error.hint === '')
      throw new Error(`${label}: an error without a message or a hint: ${error.message}`);
    if (
      (error instanceof TraceError || error instanceof ProfileError || error instanceof SamplesError) &&
      (error.expected === '' || error.actual === '' || !Number.isSafeInteger(error.offset))
    ) {
      throw new Error(`${label}: an error without a place: ${error.message}`);
    }
  }
  const found = tooMuch();
  if (found !== undefined) throw new Error(`${label}: ${found}`);
  return isRefused;
}

const whole = new Map<number, Uint8Array>();

function wholeTrace(seed: number): Uint8Array {
  const known = whole.get(seed) ?? randomTrace(seed, { actions: 4 + seed });
  whole.set(seed, known);
  return known;
}

/** `path`: where the damaged trace is put. */
export function readDamagedTrace(seed: number, path: string, outcomes: Outcomes): void {
  const random = new RandomNumbers(seed);
  writeFileSync(path, damageTrace(wholeTrace(random.below(TRACES)), random));
  let opened: ReturnType<typeof openTrace> | undefined;
  if (attempt(`seed ${seed}, reading`, () => (opened = openTrace(path)))) outcomes.refusedByReader++;
  if (opened === undefined) return;
  const input = replayInput(opened, randomMachine(seed), { kind: random.chance(50) ? 'logical' : 'recorded' });
  if (isEndless(input)) return void outcomes.endless++;
  let result: ReplayResult | undefined;
  const refused = [
    attempt(`seed ${seed}, ts`, () => void (result = simulate(input))),
    ...[1, 2].map((workers) =>
      attempt(`seed ${seed}, native, ${workers} workers`, () => void replayNatively(input, workers)),
    ),
  ];
  if (refused[1] !== refused[2]) throw new Error(`seed ${seed}: one worker and two refuse differently`);
  if (refused[0] !== refused[1]) throw new Error(`seed ${seed}: the engines refuse differently`);
  if (refused[0]) outcomes.refusedByEngine++;
  else outcomes.replayed++;
  if (result === undefined) return;
  const profile = buildProfile(result, input.catalog, {
    run: describeRun(opened),
    machine: input.machine,
    schedule: input.schedule,
  });
  if (attempt(`seed ${seed}, profile`, () => void decodeProfile(Buffer.concat(encodeProfile(profile)))))
    throw new Error(`seed ${seed}: the profile of what was replayed is refused`);
}

class Enough extends Error {}

/**
 * A few bytes may say that a program ran for months, or copied a TiB: that is a trace, and to replay it takes as long.
 */
function isEndless({ path, catalog, threads, machine }: ReplayInput): boolean {
  let steps = 0;
  const count = (): void => {
    if (++steps > MOST_STEPS) throw new Enough();
  };
  const accesses = new Accesses(catalog, machine.lineBytes, { access: count });
  // An order may look further ahead than to the access that is refused.
  const expand = (step: StepCursor['step']): void => {
    try {
      accesses.expand(step);
    } catch (error) {
      if (error instanceof Enough) throw error;
    }
  };
  const file = TraceFile.open(path);
  try {
    const paths = new PathTable(catalog);
    return threads.some((chunks) => {
      try {
        const cursor = new StepCursor(file, chunks, paths);
        while (cursor.next()) {
          count();
          if (cursor.isSegment) expand(cursor.step);
        }
      } catch (error) {
        return error instanceof Enough;
      }
      return false;
    });
  } finally {
    file.close();
  }
}

/** `file`: a whole profile. */
export function readDamagedProfile(seed: number, file: Buffer): boolean {
  const random = new RandomNumbers(seed);
  const changed = mutate(file, random);
  if (changed.length >= HEADER_BYTES && random.chance(90))
    changed.writeUInt32LE(crc32(changed.subarray(HEADER_BYTES), crc32(changed.subarray(0, 28))), 28);
  return attempt(`profile, seed ${seed}`, () => void decodeProfile(changed));
}

// Stage: samples -> profile. Drawn objects become the profile's, with times since the run began; what the interposer
// counted of all objects of each type stands beside them.

import { NO_INDEX } from '../base/ids.js';
import type { SampledLives, TypedSamples } from '../hardware/typed-samples.js';
import type { Renumber } from '../profile/profile-builder.js';
import { OBJECT_KINDS, type ObjectColumns } from '../profile/profile.js';
import type { SampledLifeColumns } from '../profile/sampled.js';
import type { SampledInput } from './sampled-input.js';
import type { SampledNames } from './sampled-names.js';

const heap = OBJECT_KINDS.indexOf('heap');
const global = OBJECT_KINDS.indexOf('global');
const FREED = 8;

export interface DrawnObject {
  readonly type: number;
  readonly address: number;
  readonly bytes: number;
  /** Nanoseconds since the first run began; of further runs since it would have, had it begun behind the one before. */
  readonly born: number;
  /** -1: lived to the end. */
  readonly died: number;
  /** When it ended, or its run did. */
  readonly end: number;
  readonly kind: number;
  readonly site: number;
  readonly freeSite: number;
  readonly thread: number;
  readonly core: number;
  readonly samples: number;
}

export function runLength({ startNs, endNs }: TypedSamples): number {
  return Math.max(0, Number(BigInt(endNs) - BigInt(startNs)));
}

export function listDrawnObjects(
  { samples }: SampledInput,
  names: SampledNames,
  coreOf: (cpu: number) => number,
): DrawnObject[] {
  const all: DrawnObject[] = [];
  let before = 0;
  for (const { value: typed } of samples) {
    const { objects, types, places } = typed;
    const start = BigInt(typed.startNs);
    const length = runLength(typed);
    const since = (time: bigint): number => before + Math.min(length, Math.max(0, Number(time - start)));
    for (let row = 0; row < objects.type.length; row++) {
      const isFreed = objects.diedNs[row] !== 0n;
      const died = isFreed ? since(objects.diedNs[row]) : -1;
      const born = since(objects.bornNs[row]);
      all.push({
        type: names.type(types[objects.type[row]]),
        address: Number(objects.address[row]),
        bytes: Number(objects.bytes[row]),
        born,
        died,
        end: isFreed ? Math.max(born, died) : before + length,
        // A variable was there before the run, and nobody allocated it.
        kind: objects.allocatedAt[row] === 0 && born === before ? global : heap,
        site: names.site(places[objects.allocatedAt[row]]),
        freeSite: names.site(places[objects.freedAt[row]]),
        thread: objects.thread[row],
        core: coreOf(objects.cpu[row]),
        samples: objects.samples[row],
      });
    }
    before += length;
  }
  return all;
}

/** `period`: events that a sample stands for, on average. */
export function objectColumns(drawn: readonly DrawnObject[], period: number, { type, site }: Renumber): ObjectColumns {
  const sorted = drawn.toSorted((a, b) => a.born - b.born || a.address - b.address);
  const f64 = (of: (object: DrawnObject) => number): Float64Array => Float64Array.from(sorted, of);
  const u32 = (of: (object: DrawnObject) => number): Uint32Array => Uint32Array.from(sorted, of);
  return {
    address: f64(({ address }) => address),
    sizeBytes: f64(({ bytes }) => bytes),
    kind: Uint8Array.from(sorted, ({ kind }) => kind),
    type: u32((object) => type(object.type)),
    site: u32((object) => site(object.site)),
    variable: u32(() => NO_INDEX),
    freeSite: u32((object) => site(object.freeSite)),
    thread: u32(({ thread }) => thread),
    core: Uint16Array.from(sorted, ({ core }) => core),
    bornAt: f64(({ born }) => born),
    diedAt: f64(({ died }) => died),
    lives: f64(() => 1),
    lifetime: f64(({ born, end }) => end - born),
    references: f64(({ samples }) => samples * period),
    flags: Uint8Array.from(sorted, ({ died }) => (died === -1 ? 0 : FREED)),
    callPath: u32(() => NO_INDEX),
  };
}

const ADDED = [
  'allocations',
  'frees',
  'lifetimeNs',
  'sampledObjects',
  'bouncedObjects',
  'writeSharedObjects',
] as const satisfies readonly (keyof SampledLives)[];
const LARGEST = ['peakObjects', 'peakBytes'] as const satisfies readonly (keyof SampledLives)[];
const AVERAGED = ['averageObjects', 'averageBytes'] as const satisfies readonly (keyof SampledLives)[];

type Lives = { -readonly [Name in keyof SampledLives]: number };

/** By type number while building; of several runs sums, the largest of any, and averages over all their time. */
export function sumLives({ samples }: SampledInput, names: SampledNames): Map<number, Readonly<Lives>> {
  const all = samples.reduce((sum, { value }) => sum + runLength(value), 0);
  const lives = new Map<number, Lives>();
  for (const { value: typed } of samples) {
    const share = all === 0 ? 1 / samples.length : runLength(typed) / all;
    for (const type of typed.types) {
      if (type.lives === null) continue;
      const number = names.type(type);
      let own = lives.get(number);
      if (own === undefined)
        lives.set(
          number,
          (own = Object.fromEntries([...ADDED, ...LARGEST, ...AVERAGED].map((name) => [name, 0])) as Lives),
        );
      for (const name of ADDED) own[name] += type.lives[name];
      for (const name of LARGEST) own[name] = Math.max(own[name], type.lives[name]);
      for (const name of AVERAGED) own[name] += type.lives[name] * share;
    }
  }
  return lives;
}

export function lifeColumns(lives: ReadonlyMap<number, Readonly<Lives>>, renumber: Renumber): SampledLifeColumns {
  const rows = Array.from(lives, ([type, own]) => ({ type: renumber.type(type), own })).sort((a, b) => a.type - b.type);
  const column = (name: keyof Lives): Float64Array => Float64Array.from(rows, ({ own }) => own[name]);
  return {
    type: Uint32Array.from(rows, ({ type }) => type),
    allocations: column('allocations'),
    frees: column('frees'),
    lifetimeNs: column('lifetimeNs'),
    sampledObjects: column('sampledObjects'),
    bouncedObjects: column('bouncedObjects'),
    writeSharedObjects: column('writeSharedObjects'),
    peakObjects: column('peakObjects'),
    peakBytes: column('peakBytes'),
    averageObjects: column('averageObjects'),
    averageBytes: column('averageBytes'),
  };
}

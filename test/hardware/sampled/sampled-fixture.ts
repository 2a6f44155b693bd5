// Stage: test. Samples and histories of small programs, and the profiles and views that they make.

import { resolveMachine, type MachineRequest } from '../../../src/machine/parse-machine.js';
import type { TypedSamples } from '../../../src/hardware/samples/typed-samples.js';
import type { Histories } from '../../../src/hardware/histories/histories.js';
import type { Profile } from '../../../src/profile/profile.js';
import type { PathBy } from '../../../src/replay/places.js';
import { buildSampledProfile } from '../../../src/hardware/sampled/sampled-profile.js';
import type { ViewOptions } from '../../../src/views/view.js';
import { buildView, type ViewName } from '../../../src/views/views.js';
import { drawTypedSamples, NO_LIVES, type DrawnSamples } from '../drawn-samples.js';
import { drawHistories } from '../histories/drawn-histories.js';

/** Two types; loads of two CPUs, stores of which some say nothing. */
export function packetSamples(more: Partial<DrawnSamples> = {}): TypedSamples {
  return drawTypedSamples({
    types: [
      {
        name: 'struct packet',
        bytes: 64,
        fields: [
          { path: 'lock', offset: 0, bytes: 4 },
          { path: 'bytes', offset: 8, bytes: 8 },
        ],
        lives: {
          ...NO_LIVES,
          allocations: 2,
          frees: 1,
          peakObjects: 2,
          peakBytes: 128,
          averageObjects: 1.5,
          averageBytes: 96,
          lifetimeNs: 1_500_000_000,
          sampledObjects: 2,
          bouncedObjects: 1,
        },
      },
      { name: 'struct other', bytes: 32, fields: [{ path: 'next', offset: 0, bytes: 8 }] },
    ],
    rows: [
      { what: 'struct packet.lock', at: 'take net.c:4', from: 'other-cache', cpu: 1, samples: 40, latency: 300 },
      { what: 'struct packet.bytes', at: 'send net.c:12', samples: 60, latency: 4 },
      { what: 'struct packet.bytes', at: 'fill net.c:7', op: 'store', from: 'unknown', samples: 5 },
      { what: 'struct packet.lock', at: 'take net.c:4', op: 'store', from: 'L1', cpu: 1, samples: 20 },
      { what: 'struct other.next', at: 'walk list.c:9', from: 'memory', samples: 4, latency: 250 },
      { what: '', at: 'walk list.c:9', samples: 16, latency: 5 },
    ],
    objects: [
      {
        type: 'struct packet',
        address: 0x5000,
        born: 1000,
        died: 500_001_000,
        at: 'make net.c:1',
        freedAt: 'drop net.c:20',
        samples: 100,
      },
      { type: 'struct packet', address: 0x5040, born: 1000, at: 'make net.c:1', samples: 25, cpu: 1 },
    ],
    ...more,
  });
}

const DRAWN_FIELDS = [
  { path: 'f0', offset: 0, bytes: 8 },
  { path: 'f1', offset: 8, bytes: 8 },
];

/**
 * Of `struct drawn`, two of whose three histories go the way of a lock: `init` stores both fields, another thread locks
 * the first, and so does the first thread.
 */
export function drawnHistories(): Histories {
  const long = "0: 0 init, 1 init, 0 lock', 1 read', 0 lock, 0 lock'";
  return drawHistories([[0, 1]], [long, long, '0: 0 init, 1 init, 1 read']);
}

export function drawnSamples(): TypedSamples {
  const typed = drawTypedSamples({
    types: [
      {
        name: 'struct drawn',
        bytes: 16,
        fields: DRAWN_FIELDS,
        lives: {
          ...NO_LIVES,
          allocations: 300,
          frees: 300,
          peakObjects: 3,
          peakBytes: 48,
          averageObjects: 2.5,
          averageBytes: 40,
          lifetimeNs: 600_000,
          sampledObjects: 20,
          bouncedObjects: 12,
          writeSharedObjects: 2,
        },
      },
    ],
    rows: [
      { what: 'struct drawn.f0', at: 'init drawn.c:100', op: 'store', samples: 40 },
      { what: 'struct drawn.f1', at: 'init drawn.c:100', op: 'store', samples: 40 },
      { what: 'struct drawn.f0', at: 'lock drawn.c:101', op: 'store', from: 'L1', cpu: 1, samples: 40 },
      {
        what: 'struct drawn.f0',
        at: 'lock drawn.c:101',
        op: 'load',
        from: 'other-cache',
        cpu: 1,
        samples: 60,
        latency: 200,
      },
      { what: 'struct drawn.f0', at: 'lock drawn.c:101', op: 'load', from: 'L1', cpu: 1, samples: 40, latency: 5 },
      {
        what: 'struct drawn.f1',
        at: 'read drawn.c:102',
        op: 'load',
        from: 'other-cache',
        cpu: 1,
        samples: 30,
        latency: 200,
      },
    ],
    objects: Array.from({ length: 30 }, (_, at) => ({
      type: 'struct drawn',
      address: 0x5000 + 16 * at,
      born: 1000 + at * 30_000_000,
      died: 61_000 + at * 30_000_000,
      at: 'make drawn.c:9',
      freedAt: 'drop drawn.c:30',
      samples: 8,
    })),
  });
  return { ...typed, run: { ...typed.run, command: ['drawn'] } };
}

export interface ProfileOptions {
  readonly histories?: Histories;
  readonly machine?: MachineRequest;
  readonly by?: PathBy;
  readonly seed?: number;
}

export function profileOf(
  samples: readonly TypedSamples[],
  { histories, machine = {}, by = 'function', seed = 1 }: ProfileOptions = {},
): Profile {
  const named = samples.map((value, index) => ({ name: `X${index + 1}`, value }));
  return buildSampledProfile(
    { samples: named, histories: histories === undefined ? null : { name: 'Y', value: histories } },
    { machineFor: (cores) => resolveMachine(machine, cores), flow: { by, mostPaths: 100, mostSteps: 64 }, seed },
  );
}

// Rows as a reader of the JSON has them: numbers that no sample can say are null.
export function viewOf(profile: Profile, name: ViewName, options: ViewOptions = {}): any {
  return JSON.parse(JSON.stringify(buildView(profile, name, options)));
}

export function rowOf(view: any, type: string, field: string | null | undefined = undefined): any {
  return view.rows.find((row: any) => row.type === type && (field === undefined || row.field === field));
}

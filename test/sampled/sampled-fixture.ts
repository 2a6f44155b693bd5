// Stage: test. Samples and histories of one small program: two types, of which one is shared between two cores.

import { drawTypedSamples, NO_LIVES } from '../hardware/drawn-samples.js';
import type { TypedSamples } from '../../src/hardware/typed-samples.js';

export function packetSamples(): TypedSamples {
  return drawTypedSamples({
    types: [
      {
        name: 'struct packet', bytes: 64, fields: [{ path: 'lock', offset: 0, bytes: 4 }, { path: 'bytes', offset: 8, bytes: 8 }],
        lives: { ...NO_LIVES, allocations: 2, frees: 1, peakObjects: 2, peakBytes: 128, averageObjects: 1.5, averageBytes: 96, lifetimeNs: 1_500_000, sampledObjects: 2, bouncedObjects: 1 },
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
      { type: 'struct packet', address: 0x5000, born: 1000, died: 501_000, at: 'make net.c:1', freedAt: 'drop net.c:20', samples: 100 },
      { type: 'struct packet', address: 0x5040, born: 1000, at: 'make net.c:1', samples: 25, cpu: 1 },
    ],
  });
}

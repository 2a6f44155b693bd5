import { writeFileSync } from 'node:fs';
import { test } from 'vitest';
import { encodeTyped } from './write-samples.js';
import { packetSamples } from './sampled-fixture.js';
import { drawHistories } from '../histories/drawn-histories.js';
import { drawTypedSamples, NO_LIVES } from '../hardware/drawn-samples.js';
import { buildSampledProfile } from '../../src/sampled/sampled-profile.js';
import { resolveMachine } from '../../src/machine/parse-machine.js';
import { renderText } from '../../src/report/text-report.js';
import { buildView, viewsOf } from '../../src/views/views.js';
import { writeProfile } from '../../src/profile/profile-writer.js';
test('x', () => {
  writeFileSync('/tmp/views-x.dpsamples', encodeTyped(packetSamples()));
  const histories = drawHistories([[0, 1]], ["0: 0 init, 1 init, 0 lock', 1 read', 0 lock, 0 lock'", "0: 0 init, 1 init, 0 lock', 1 read', 0 lock, 0 lock'", '0: 0 init, 1 init, 1 read']);
  const typed = drawTypedSamples({
    types: [{ name: 'struct drawn', bytes: 16, fields: [{ path: 'f0', offset: 0, bytes: 8 }, { path: 'f1', offset: 8, bytes: 8 }], lives: { ...NO_LIVES, allocations: 300, frees: 298, peakObjects: 3, peakBytes: 48, averageObjects: 2.5, averageBytes: 40, lifetimeNs: 600_000, sampledObjects: 20, bouncedObjects: 12, writeSharedObjects: 2 } }],
    rows: [
      { what: 'struct drawn.f0', at: 'init drawn.c:100', op: 'store', samples: 40 },
      { what: 'struct drawn.f1', at: 'init drawn.c:100', op: 'store', samples: 40 },
      { what: 'struct drawn.f0', at: 'lock drawn.c:101', op: 'store', from: 'L1', cpu: 1, samples: 40 },
      { what: 'struct drawn.f0', at: 'lock drawn.c:101', op: 'load', from: 'other-cache', cpu: 1, samples: 60, latency: 200 },
      { what: 'struct drawn.f0', at: 'lock drawn.c:101', op: 'load', from: 'L1', cpu: 1, samples: 40, latency: 5 },
      { what: 'struct drawn.f1', at: 'read drawn.c:102', op: 'load', from: 'other-cache', cpu: 1, samples: 30, latency: 200 },
    ],
    objects: Array.from({ length: 30 }, (_, at) => ({ type: 'struct drawn', address: 0x5000 + 16 * at, born: 1000 + at * 30_000_000, died: at > 27 ? undefined : 61_000 + at * 30_000_000, at: 'make drawn.c:9', freedAt: 'drop drawn.c:30', samples: 8 })),
    more: { run: { ...drawTypedSamples({types: [], rows: []}).run, command: ['drawn'] } },
  });
  const profile = buildSampledProfile({ samples: [{ name: 'X', value: typed }], histories: { name: 'Y', value: histories } }, { machineFor: (cores) => resolveMachine({}, cores), flow: { by: 'function', mostPaths: 100 }, seed: 1 });
  let out = '';
  for (const width of [80, 120, 160]) out += renderText(new Map(viewsOf(profile).map((name) => [name, buildView(profile, name, {})])), { top: 20, style: { width, strong: (t) => t, faint: (t) => t } });
  writeFileSync('/tmp/views-x.txt', out);
  writeProfile(profile, '/tmp/views-x.dprofile');
});

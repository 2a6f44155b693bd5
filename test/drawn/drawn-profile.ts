// A drawing's profile, of whose numbers both engines have agreed first.

import { expect } from 'vitest';
import { buildProfile } from '../../src/profile/profile-builder.js';
import type { Profile } from '../../src/profile/profile.js';
import { replayNatively } from '../engine/replay-natively.js';
import { differences } from '../engine/equal-results.js';
import { replayDrawing, type DrawnOptions } from './replay-drawing.js';

const run = {
  command: ['drawn'],
  ended: 'exited with status 0',
  truncated: false,
  addressRandomisation: false,
  threads: 2,
  refusals: {},
  stampsPerSecond: 1,
};

export function profileDrawing(text: string, options: DrawnOptions): Profile {
  const { input, result, catalog } = replayDrawing(text, options);
  for (const workers of [1, 2, 4])
    expect(differences(result, replayNatively(input, workers), 'ts', `native, ${workers} workers`)).toEqual([]);
  const window = options.window && { from: { asked: 'drawn', references: 0, time: 0 }, to: null, warmUp: null };
  return buildProfile(result, catalog, {
    run,
    machine: input.machine,
    schedule: input.schedule,
    mostSharedCounts: options.mostSharedCounts,
    ...(window && { window }),
  });
}

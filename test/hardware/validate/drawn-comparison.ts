// Stage: test. A run whose exact shares are drawn as counts, beside samples drawn as rows.
//
//   30 R packet.len in send       so many of them, one line of the source (drawn.c, by row) each

import { profileDrawing } from '../../drawn/drawn-profile.js';
import { drawTypedSamples, type DrawnRow, type DrawnSamples } from '../drawn-samples.js';
import type { Profile } from '../../../src/profile/profile.js';
import type { TypedSamples } from '../../../src/hardware/samples/typed-samples.js';
import type { SameProgram } from '../../../src/hardware/validate/same-program.js';
import {
  validateSamples,
  type SamplesRequest,
  type SamplesValidation,
} from '../../../src/hardware/validate/validate-samples.js';

export const PACKET = {
  name: 'struct packet',
  bytes: 64,
  fields: [
    { path: 'len', offset: 0, bytes: 8 },
    { path: 'next', offset: 8, bytes: 8 },
  ],
};
export const TABLE = { name: 'struct table', bytes: 64, fields: [{ path: 'size', offset: 0, bytes: 8 }] };
const MEMORY = {
  types: {
    'struct packet': { size: 64, fields: { len: [0, 8], next: [8, 8] } },
    'struct table': { size: 64, fields: { size: [0, 8] } },
  },
  globals: { packet: ['struct packet', 0x4000], table: ['struct table', 0x8000] },
} as const;

/** Lines `N verb place in function`. */
export function drawRun(text: string): Profile {
  const lines = text
    .trim()
    .split('\n')
    .flatMap((line) => {
      const [, count, access] = /^\s*(\d+) (.*)$/.exec(line)!;
      return Array.from({ length: Number(count) }, () => access);
    });
  return profileDrawing(['core 0', ...lines].join('\n'), MEMORY);
}

export const SAME: SameProgram = {
  identity: 'same-build',
  traced: { file: '/usr/bin/program', buildId: 'aa11' },
  sampled: { file: '/usr/bin/program', buildId: 'aa11' },
};
export const CODE = { functions: new Set(['send', 'take']), modules: new Set(['program']) };

export function drawSampled(rows: readonly DrawnRow[], more: Partial<DrawnSamples> = {}): TypedSamples {
  return drawTypedSamples({ types: [PACKET, TABLE], rows, ...more });
}

export function compare(
  profile: Profile,
  samples: TypedSamples,
  request: Partial<SamplesRequest> = {},
  program = SAME,
): SamplesValidation {
  return validateSamples(profile, samples, CODE, program, {
    by: 'type',
    tolerancePoints: 2,
    trace: 'drawn.dptrace',
    samples: 'drawn.dpsamples',
    ...request,
  });
}

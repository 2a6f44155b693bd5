// A sample of damaged traces and profiles; DPROF_DAMAGED_SEEDS asks for more. What they may end in: damaged-files.ts.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { buildProfile } from '../../src/profile/profile-builder.js';
import { encodeProfile } from '../../src/profile/profile-writer.js';
import { makeFolder } from '../cli/command-line.js';
import { catalog, facts, handMadeResult } from '../profile/hand-made-run.js';
import { readDamagedProfile, readDamagedTrace } from './damaged-files.js';

const FIRST = Number(process.env.DPROF_FIRST_SEED ?? 1);
const SEEDS = Number(process.env.DPROF_DAMAGED_SEEDS ?? 600);

test(`${SEEDS} damaged traces: readers and both engines give a result or one typed error, within seconds`, () => {
  const path = join(makeFolder(), 'damaged.dptrace');
  const outcomes = { refusedByReader: 0, refusedByEngine: 0, replayed: 0, endless: 0 };
  for (let seed = FIRST; seed < FIRST + SEEDS; seed++) readDamagedTrace(seed, path, outcomes);
  if (SEEDS < 600) return;
  expect(outcomes.refusedByReader).toBeGreaterThan(SEEDS / 10);
  expect(outcomes.refusedByEngine).toBeGreaterThan(SEEDS / 10);
  expect(outcomes.replayed).toBeGreaterThan(SEEDS / 20);
  expect(outcomes.endless).toBeLessThan(SEEDS / 10);
}, 600_000);

test(`${4 * SEEDS} damaged profiles are read or refused with one typed error`, () => {
  const file = Buffer.concat(encodeProfile(buildProfile(handMadeResult(), catalog, facts)));
  let refused = 0;
  for (let seed = FIRST; seed < FIRST + 4 * SEEDS; seed++) if (readDamagedProfile(seed, file)) refused++;
  expect(refused).toBeGreaterThan(SEEDS);
}, 600_000);

// A sample of damaged traces and profiles; DPROF_DAMAGED_SEEDS asks for more. What they may end in: damaged-files.ts.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { buildProfile } from '../../src/profile/profile-builder.js';
import { encodeProfile } from '../../src/profile/profile-writer.js';
import { decodeProfile } from '../../src/profile/profile-reader.js';
import { dprof, makeFolder } from '../cli/command-line.js';
import { catalog, facts, handMadeResult } from '../profile/hand-made-run.js';
import { takeApart } from './damage-profile.js';
import { readDamagedProfile, readDamagedTrace } from './damaged-files.js';
import { useDamagedProfile } from './damaged-profiles.js';
import { atLength } from '../at-length.js';

const FIRST = Number(process.env.DPROF_FIRST_SEED ?? 1);
const ONCE_FOUND = [225];
const SEEDS = Number(process.env.DPROF_DAMAGED_SEEDS ?? atLength(40, 600));

test(`${SEEDS} damaged traces: readers and both engines give a result or one typed error`, () => {
  const path = join(makeFolder(), 'damaged.dptrace');
  const outcomes = { refusedByReader: 0, refusedByEngine: 0, replayed: 0, endless: 0 };
  for (let seed = FIRST; seed < FIRST + SEEDS; seed++) readDamagedTrace(seed, path, outcomes);
  for (const seed of ONCE_FOUND) readDamagedTrace(seed, path, outcomes);
  if (SEEDS < 100) return;
  expect(outcomes.refusedByReader).toBeGreaterThan(SEEDS / 10);
  expect(outcomes.refusedByEngine).toBeGreaterThan(SEEDS / 10);
  expect(outcomes.replayed).toBeGreaterThan(SEEDS / 20);
  expect(outcomes.endless).toBeLessThan(SEEDS / 10);
});

test(`${4 * SEEDS} damaged profiles are read or refused with one typed error`, () => {
  const file = Buffer.concat(encodeProfile(buildProfile(handMadeResult(), catalog, facts)));
  let refused = 0;
  for (let seed = FIRST; seed < FIRST + 4 * SEEDS; seed++) if (readDamagedProfile(seed, file)) refused++;
  expect(refused).toBeGreaterThan(SEEDS);
});

test(
  `${SEEDS} damaged profiles with every table: each view, export, page, comparison and merging of what is read ` +
    'gives a result or one typed error',
  async () => {
    const packed = takeApart(profileOfEveryTable());
    const whole = decodeProfile(profileOfEveryTable());
    let refused = 0;
    for (let seed = FIRST; seed < FIRST + SEEDS; seed++) if (await useDamagedProfile(seed, packed, whole)) refused++;
    expect([refused > SEEDS / 2, refused < (SEEDS * 9) / 10]).toEqual([true, true]);
  },
);

let file: Buffer | undefined;

/** Paths, layouts with bit-fields, locks and shared variables of a small program with two threads. */
function profileOfEveryTable(): Buffer {
  if (file !== undefined) return file;
  const folder = makeFolder();
  const [program, trace, profile] = ['every-table', 'every-table.dptrace', 'every-table.dprofile'].map((name) =>
    join(folder, name),
  );
  execFileSync(resolve('bin/dprof-cc'), ['-g', '-O1', '-pthread', 'test/fuzz/programs/every-table.c', '-o', program]);
  expect(dprof('record', '-o', trace, '--', program).status).toBe(0);
  expect(
    dprof('replay', trace, '-o', profile, '--shared-variables', '--l1', '4K/4', '--l2', '16K/4', '--llc', '64K/8')
      .status,
  ).toBe(0);
  return (file = readFileSync(profile));
}

// Stage: test. Errors and hints name what stands in a profile: as text, whatever it is; and a directory is checked
// before it is used.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { buildProfile } from '../../src/profile/profile-builder.js';
import { decodeProfile } from '../../src/profile/profile-reader.js';
import { encodeProfile, writeProfile } from '../../src/profile/profile-writer.js';
import type { Profile } from '../../src/profile/profile.js';
import { handMadeFlowProfile } from '../profile/hand-made-flow.js';
import { catalog, facts, handMadeResult } from '../profile/hand-made-run.js';
import { dprof, makeFolder } from './command-line.js';

const profile = buildProfile(handMadeResult(), catalog, facts);
const reading = (change: object) => (): Profile =>
  decodeProfile(Buffer.concat(encodeProfile({ ...profile, ...change } as Profile)));

test('a hint with a terminal escape in it shows the escape', async () => {
  const path = join(makeFolder(), 'hostile.dprofile');
  await writeProfile({ ...profile, marks: [{ name: '\x1b]0;title\x07', times: 1 }] }, path);
  const { status, stderr } = dprof('diff', path, path, '--per', 'request');
  expect(status).toBe(1);
  expect(stderr).toContain('\\x1b]0;title\\x07');
  expect(stderr).not.toMatch(/[\x00-\x09\x0b-\x1f]/);
});

test.each<[string, object, string]>([
  [
    'a command of numbers',
    { run: { ...profile.run, command: [1] } },
    'run of the profile at offset 32: expected command, how it ended, threads and what was left out',
  ],
  ['no refusals', { run: { ...profile.run, refusals: null } }, 'run of the profile'],
  ['half a second', { run: { ...profile.run, recordedAt: 0.5 } }, 'run of the profile'],
  [
    'misses of two levels',
    { totals: { ...profile.totals, misses: [1, 2] } },
    'totals of the profile at offset 32: expected counts, found something else',
  ],
  ['no evictions', { totals: { ...profile.totals, evictions: undefined } }, 'totals of the profile'],
  ['misses of a TLB in one number', { totals: { ...profile.totals, tlbMisses: 3 } }, 'totals of the profile'],
  ['a total that nobody knows', { totals: { ...profile.totals, luck: 7 } }, 'totals of the profile'],
  [
    'a phase without a time',
    { phases: [{ name: 'x' }] },
    'phases of the profile at offset 32: expected names, each with its time',
  ],
  [
    'a number among the strings',
    { strings: profile.strings.map((text, at) => (at === 1 ? 7 : text)) },
    'strings of the profile at offset 32: expected texts',
  ],
  [
    'no L2',
    { machine: { ...profile.machine, l2: undefined } },
    'machine of the profile at offset 32: expected one that can be simulated, found l2 is missing',
  ],
  [
    'a size in words',
    { machine: { ...profile.machine, l1: { ...profile.machine.l1, sizeBytes: '32K' } } },
    'found l1.sizeBytes: "32K"',
  ],
  ['a million cores', { machine: { ...profile.machine, cores: 1e6 } }, 'found cores: 1000000'],
  [
    'half a set',
    { machine: { ...profile.machine, l1: { ...profile.machine.l1, sizeBytes: 32 } } },
    'found l1: 32 bytes',
  ],
])('%s', (_, change, message) => {
  expect(reading(change)).toThrow(message);
});

test('a path of more steps than any has', () => {
  const { flow, ...rest } = handMadeFlowProfile();
  const steps = flow!.paths.steps.map((count, path) => (path === 0 ? 252 : count));
  expect(() =>
    decodeProfile(Buffer.concat(encodeProfile({ ...rest, flow: { ...flow!, paths: { ...flow!.paths, steps } } }))),
  ).toThrow('column flow.paths.steps, row 0, at offset 0: expected an index below 252, found 252');
});

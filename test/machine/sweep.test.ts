// Stage: test. Ranges of sizes, and several machines, on the command line.

import { Command } from 'commander';
import { expect, test } from 'vitest';
import {
  addReplayFlags,
  onlyMachine,
  parseReplayFlags,
  parseSweepFlags,
  type ReplayFlags,
} from '../../src/cli/machine-options.js';
import { refusalOf } from './refusal.js';

const flagsOf = (...words: string[]): ReplayFlags =>
  addReplayFlags(new Command().exitOverride()).parse(words, { from: 'user' }).opts();
const labels = (...words: string[]): string[] =>
  parseSweepFlags(flagsOf(...words)).sweep.points.map(({ label }) => label);

test('a range doubles, and the last size is one of them', () => {
  expect(labels('--l1', '8K..256K')).toEqual(['8K/8', '16K/8', '32K/8', '64K/8', '128K/8', '256K/8']);
  expect(labels('--l2', '320K..1280K/20')).toEqual(['320K/20', '640K/20', '1280K/20']);
  expect(labels('--l1', '16K..40K/8')).toEqual(['16K/8', '32K/8', '40K/8']);
  expect(labels('--l1', '32K,8K,8K..16K/4')).toEqual(['8K/4', '16K/4', '32K/4']);
  expect(labels('--llc', '1M..1M,2M')).toEqual(['1M/16', '2M/16']);
});

test('the ways are those of the machine', () => {
  expect(labels('--machine', 'paper', '--l1', '8K..16K')).toEqual(['8K/2', '16K/2']);
});

test('each point is the request with one size, and the request to replay has them as its machines', () => {
  const { sweep, request } = parseSweepFlags(
    flagsOf('--machine', 'zen3', '--l1', '16K..32K', '--cores', '2', '--schedule', 'recorded'),
  );
  expect(sweep.level).toBe('l1');
  expect(request.machines).toEqual(sweep.points.map((point) => point.request));
  expect(request.machines.map(({ machine, l1, cores }) => [machine, l1, cores])).toEqual([
    ['zen3', '16K/8', '2'],
    ['zen3', '32K/8', '2'],
  ]);
  expect(request.schedule).toEqual({ kind: 'recorded' });
  expect(sweep.points.map(({ sizeBytes }) => sizeBytes)).toEqual([16384, 32768]);
});

test.each<[words: string[], message: string | RegExp]>([
  [[], 'sweep: no level has a range of sizes'],
  [['--l1', '32K/8'], 'sweep: no level has a range of sizes'],
  [['--l1', '8K..16K', '--l2', '1M..2M'], 'sweep: --l1 and --l2 both have a range of sizes'],
  [['--l1', '16K..8K'], '--l1 16K..8K: 16K is more than 8K'],
  [['--l1', '8K..16K..32K'], '--l1 8K..16K..32K: not FIRST..LAST'],
  [['--l1', '8K..'], "--l1: '' is not a size"],
  [['--l1', '8K..16K/8/8'], '--l1 8K..16K/8/8: not SIZES/WAYS'],
  [['--l1', '8K..16K/0'], "--l1: '0' is not a positive whole number"],
  [
    ['--l1', '1K,'.repeat(3) + Array.from({ length: 65 }, (_, at) => `${at + 1}K`).join(',')],
    /: 65 sizes are more than 64$/,
  ],
  [['--l1', '100..200'], 'l1: 100 bytes / (8 ways × 64 bytes per line) = 0.195 sets, not a whole number'],
  [
    ['--machine', 'zen2', '--machine', 'zen3', '--l1', '8K..16K'],
    '--machine is given 2 times, and a sweep is of one machine',
  ],
])('sweep %j is refused', (words, message) => {
  expect(refusalOf(() => parseSweepFlags(flagsOf(...words)))[0]).toEqual(
    typeof message === 'string' ? message : expect.stringMatching(message),
  );
});

test('--machine several times: each, in order, with the same changes', () => {
  const { machines } = parseReplayFlags(flagsOf('--machine', 'zen3', '--l1', '16K/4', '--machine', 'skylake-sp'));
  expect(machines.map(({ machine, l1 }) => [machine, l1])).toEqual([
    ['zen3', '16K/4'],
    ['skylake-sp', '16K/4'],
  ]);
  expect(refusalOf(() => onlyMachine({ ...parseReplayFlags(flagsOf()), machines }))[0]).toBe(
    '--machine is given 2 times, and this is about one machine',
  );
});

test('no --machine is the default machine', () => {
  const request = parseReplayFlags(flagsOf('--cores', '3'));
  expect([request.machines.length, onlyMachine(request).machine, onlyMachine(request).cores]).toEqual([
    1,
    undefined,
    '3',
  ]);
});

test('a machine that makes no sense is refused with the flags, before anything is recorded or read', () => {
  expect(refusalOf(() => parseReplayFlags(flagsOf('--machine', 'zen3', '--tlb', '64/5')))[0]).toBe(
    'tlb.l1: 64 entries are not a multiple of 5 ways',
  );
  expect(refusalOf(() => parseReplayFlags(flagsOf('--l1', '8K..16K')))).toEqual([
    '--l1 8K..16K: not SIZE/WAYS',
    'ranges of sizes are for dprof sweep',
  ]);
});

/** By flag, a value that each takes. */
const values: Record<string, string> = {
  machine: 'zen3',
  cores: '2',
  l1: '16K/4',
  l2: '512K/8',
  llc: '4M/16',
  line: '128',
  policy: 'fifo',
  inclusion: 'exclusive',
  prefetch: 'none',
  protocol: 'moesi',
  smt: '2',
  share: 'l2=2',
  sockets: '1',
  tlb: '64/4',
  pages: '2M',
  colouring: 'random:3',
  latency: 'l1=3',
  seed: '9',
};

test('every flag of the machine reaches the request', () => {
  const machineFlags = addReplayFlags(new Command()).options.filter(({ helpGroupHeading }) =>
    helpGroupHeading?.startsWith('Machine'),
  );
  expect(machineFlags.map(({ long }) => long!.slice(2)).sort()).toEqual(Object.keys(values).sort());
  const request = parseReplayFlags(flagsOf(...Object.entries(values).flatMap(([flag, value]) => [`--${flag}`, value])));
  expect(request.machines).toEqual([values]);
});

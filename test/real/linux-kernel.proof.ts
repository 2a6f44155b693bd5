// Stage: test. A Linux kernel compiled by dprof-cc boots, echoes datagrams and powers off, and what was recorded is the
// same twice. From nothing this compiles a kernel: some minutes.
import { spawnSync } from 'node:child_process';
import { readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { expectEnginesAgree, expectTotals, replay, textRows } from './findings.js';
import { makeTemporaryFolder } from '../temporary-folder.js';
import { ROOT } from './real-program.js';

const HOME = join(ROOT, 'build/linux-kernel');
const folder = makeTemporaryFolder('linux-kernel');
const traces = [join(folder, 'first.dptrace'), join(folder, 'second.dptrace')] as const;
const profiles: string[] = [];

function runScript(workload: string) {
  return spawnSync('sh', [join(ROOT, 'examples/linux-kernel/run.sh'), workload], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
}

beforeAll(() => {
  for (const trace of traces) {
    const { status, stdout, stderr } = runScript('udp');
    expect(status, stderr).toBe(0);
    expect(stdout).toContain('data profile');
    expect(readFileSync(join(HOME, 'udp.log'), 'utf8')).toContain('guest: 1000 of 1000 datagrams came back');
    renameSync(join(HOME, 'udp.dptrace'), trace);
    profiles.push(replay(trace, `${trace}.dprofile`));
  }
}, 1_800_000);

test('two recordings have the same top ten, and misses that differ by less than 0.1 %', () => {
  const [first, second] = profiles.map((profile) => ({
    types: textRows(profile, 'data-profile', '--top', '10').map((row) => row.split(/ {2,}/)[0]),
    misses: l1Misses(profile),
  }));
  expect(first?.types).toHaveLength(10);
  expect(second?.types).toEqual(first?.types);
  expect(Math.abs(second!.misses - first!.misses)).toBeLessThan(first!.misses / 1000);
});

function l1Misses(profile: string): number {
  const { stdout } = spawnSync(join(ROOT, 'bin/dprof'), ['report', profile, '--format', 'json'], {
    encoding: 'utf8',
    maxBuffer: 1 << 29,
  });
  return JSON.parse(stdout).totals.levels.l1.misses;
}

test('numbers add up, and both engines give the same', () => {
  expectTotals(profiles[0]!);
  expectEnginesAgree(traces[0], folder, '1M');
});

test('after a panic the trace has all up to it', () => {
  const { status, stdout, stderr } = runScript('panic');
  expect(status).toBe(134);
  expect(stderr).toContain('run.sh: the kernel panicked: Attempted to kill init!');
  expect(stdout).toContain('killed by SIGABRT');
  expect(stdout).toContain('struct task_struct');
});

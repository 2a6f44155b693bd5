// Stage: test. FreeRTOS compiled by dprof-cc: tasks send messages, in simulated time twice and once with the host's
// timer, and the report names FreeRTOS's own types. From nothing this fetches FreeRTOS.
import { spawnSync } from 'node:child_process';
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { makeTemporaryFolder } from '../temporary-folder.js';
import { expectEnginesAgree, expectTotals, replay, textRows } from './findings.js';
import { ROOT, run } from './real-program.js';

const HOME = join(ROOT, 'build/freertos');
/** A scheduler of one processor, with a small cache. */
const MACHINE = ['--cores', '1', '--l1', '4K/4', '--line', '32'];
const folder = makeTemporaryFolder('freertos');
const profiles = new Map<string, string>();
const traceOf = (name: string): string => join(folder, `${name}.dptrace`);

function recordAs(name: string, workload: string): void {
  const { status, stdout, stderr } = spawnSync('sh', [join(ROOT, 'examples/freertos/run.sh'), workload], {
    encoding: 'utf8',
  });
  expect(status, stderr).toBe(0);
  expect(stdout).toContain('freertos: 4000 of 4000 readings came, 4000 logged');
  expect(stdout).toContain('0 paths cut short, 0 references outside the life of their object');
  renameSync(join(HOME, `${workload}.dptrace`), traceOf(name));
  profiles.set(name, replay(traceOf(name), join(folder, `${name}.dprofile`), ...MACHINE));
}

beforeAll(() => {
  recordAs('first', 'messages');
  recordAs('second', 'messages');
  recordAs('ticks', 'ticks');
}, 600_000);

function reportOf(name: string): any {
  return JSON.parse(run([join(ROOT, 'bin/dprof'), 'report', profiles.get(name)!, '--format', 'json']));
}

const typesOf = (name: string, top: number): string[] =>
  textRows(profiles.get(name)!, 'data-profile', '--top', `${top}`).map((row) => row.split(/ {2,}/)[0]!);

test('two recordings have the same types in the top ten, and misses that differ by less than 1 %', () => {
  const [first, second] = ['first', 'second'].map((name) => reportOf(name).totals.levels.l1.misses);
  expect(typesOf('first', 10)).toHaveLength(10);
  expect(typesOf('second', 10).sort()).toEqual(typesOf('first', 10).sort());
  expect(Math.abs(second - first)).toBeLessThan(first / 100);
});

test.each(['first', 'ticks'])('%s: tasks, queues, buffers and messages go by their types', (name) => {
  const types = typesOf(name, 40);
  for (const type of [
    'tskTaskControlBlock',
    'QueueDefinition',
    'StreamBufferDef_t',
    'EventGroupDef_t',
    'xLIST',
    'reading',
  ])
    expect(types).toContain(`struct ${type}`);
});

test.each(['first', 'ticks'])('%s: a type, a variable or an allocation site names nearly all L1 misses', (name) => {
  const { of, groups } = reportOf(name).typing.l1Misses;
  expect(groups.named + groups.heapBySite).toBeGreaterThan(0.99 * of);
});

test('a mutex of FreeRTOS is a lock: it is in a queue', () => {
  expect(textRows(profiles.get('first')!, 'locks').join('\n')).toMatch(/struct QueueDefinition\.pcHead +semaphore/);
});

test('numbers add up, and both engines give the same', () => {
  for (const profile of profiles.values()) expectTotals(profile);
  expectEnginesAgree(traceOf('ticks'), folder, '1M');
});

// Stage: test. A Linux kernel compiled by dprof-cc boots, echoes datagrams and powers off, and what was recorded is the
// same twice. From nothing this compiles a kernel: some minutes.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync } from 'node:fs';
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

const l1Misses = (profile: string): number => reportOf(profile, '--format', 'json').totals.levels.l1.misses;

test('numbers add up, and both engines give the same', () => {
  expectTotals(profiles[0]!);
  expectEnginesAgree(traces[0], folder, '1M');
});

const ROUND_TRIPS = ['--from', 'mark:begin', '--to', 'mark:end', '--format', 'json'];

function reportOf(trace: string, ...words: string[]) {
  const { status, stdout, stderr } = spawnSync(join(ROOT, 'bin/dprof'), ['report', trace, ...words], {
    encoding: 'utf8',
    maxBuffer: 1 << 29,
    env: { ...process.env, DPROF_CACHE: '0' },
  });
  expect(status, stderr).toBe(0);
  return JSON.parse(stdout);
}

test('of the misses 95 % are named by a type or an allocation site, of the round trips 99 %', () => {
  for (const [part, least] of [
    [['--format', 'json'], 0.95],
    [ROUND_TRIPS, 0.99],
  ] as const) {
    const { of, rules } = reportOf(traces[0], ...part).typing.l1Misses;
    const named = rules.object + rules.descriptor + rules.variable + rules.behind + rules.site;
    expect(named / of).toBeGreaterThan(least);
  }
});

test('nearly all misses of a round trip are conflicts: one set of the L1 is too full', () => {
  const { totals, rows } = reportOf(traces[0], ...ROUND_TRIPS, '--level', 'l1');
  const { misses, classes } = totals.levels.l1;
  expect(classes.conflict / misses).toBeGreaterThan(0.85);
  const anyWay = reportOf(traces[0], ...ROUND_TRIPS, '--l1', '32K/512').totals.levels.l1;
  expect(anyWay.misses).toBeLessThan(misses / 5);
  const { sets } = reportOf(traces[0], ...ROUND_TRIPS, '--view', 'working-set');
  expect(sets.l1.overfull[0]).toBe(0);
  expect(sets.l1.linesPerSet[0]).toBeGreaterThan(3 * sets.l1.ways);
  const of = (type: string) => rows.find((row: { type: string }) => row.type === type);
  for (const type of ['struct net_device', 'struct udp_sock', 'struct task_struct'])
    expect(of(type).misses.l1.loads + of(type).misses.l1.stores, type).toBeGreaterThan(1000);
  const packets = of('struct sk_buff');
  expect(packets.references.loads + packets.references.stores).toBeGreaterThan(500_000);
  expect(packets.misses.l1.loads + packets.misses.l1.stores).toBeLessThan(100);
});

test('a packet goes from where it is allocated through the loopback device to where it is freed', () => {
  const words = ['--view', 'path-traces', '--type', 'struct sk_buff', '--most-steps', '250'];
  const { rows } = reportOf(traces[0], ...ROUND_TRIPS, ...words);
  const [most] = rows;
  expect(most.frequency).toBeGreaterThan(1900);
  expect([most.allocatedBy, most.end, most.freedBy, most.cut]).toEqual(['__alloc_skb', 'freed', 'kfree_skbmem', false]);
  const way = most.steps.map((step: { function: string }) => step.function);
  const stations = ['__ip_append_data', 'loopback_xmit', '__netif_receive_skb_core', 'udp_recvmsg', 'skb_consume_udp'];
  const reached = stations.map((station) => way.indexOf(station));
  expect(reached.toSorted((a, b) => a - b)).toEqual(reached);
  expect(reached[0]).toBeGreaterThan(0);
});

test('two kernels on one link are two processes of one machine, which share the memory that both have', () => {
  const { status, stdout, stderr } = runScript('pair');
  expect(status, stderr).toBe(0);
  // 1,000 there, 1,000 back, and the two with which the client asks for the server's hardware address.
  expect(stdout).toContain('calendar: 2002 frames, 0 dropped');
  const both = join(folder, 'pair');
  mkdirSync(both);
  for (const role of ['server', 'client']) {
    expect(readFileSync(join(HOME, `pair-${role}.log`), 'utf8')).toContain('guest: 1000 of 1000 datagrams came back');
    renameSync(join(HOME, `pair-${role}.dptrace`), join(both, `${role}.dptrace`));
  }
  expectTotals(replay(both, join(folder, 'pair.dprofile')));
  const { processes, totals } = reportOf(both, ...ROUND_TRIPS);
  expect(processes).toHaveLength(2);
  // Each side reads what the other wrote since: but for the first, which is cold.
  expect(totals.levels.l1.classes['true-sharing']).toBe(2 * 1000 - 2);
  expectEnginesAgree(both, folder, '3M');
});

test('after a panic the trace has all up to it', () => {
  const { status, stdout, stderr } = runScript('panic');
  expect(status).toBe(134);
  expect(stderr).toContain('run.sh: the kernel panicked: Attempted to kill init!');
  expect(stdout).toContain('killed by SIGABRT');
  expect(stdout).toContain('struct task_struct');
});

// Stage: test. A small web server in the guest of examples/linux-kernel: what it misses, and what an accept queue costs
// that outgrows the cache (docs/linux-kernel.md). From nothing this compiles a kernel: some minutes.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { makeTemporaryFolder } from '../temporary-folder.js';
import { expectEnginesAgree, expectTotals, replay, textRows } from './findings.js';
import { DPROF, ROOT } from './real-program.js';

const HOME = join(ROOT, 'build/linux-kernel');
const REQUESTS = { http: 1000, queue: 1024, 'queue-limited': 1024 } as const;
type Workload = keyof typeof REQUESTS;
const WORKLOADS = Object.keys(REQUESTS) as Workload[];
/** The Opterons of the DProf paper: an L2 of 512 KiB. */
const MACHINE = ['--machine', 'paper'];
const folder = makeTemporaryFolder('linux-kernel-web');
const traceOf = (workload: Workload): string => join(HOME, `${workload}.dptrace`);
const profileOf = (workload: Workload): string => join(folder, `${workload}.dprofile`);

beforeAll(() => {
  for (const workload of WORKLOADS) {
    const script = join(ROOT, 'examples/linux-kernel/run.sh');
    const { status, stderr } = spawnSync('sh', [script, workload], { encoding: 'utf8', maxBuffer: 1 << 28 });
    expect(status, stderr).toBe(0);
    const count = REQUESTS[workload];
    const log = readFileSync(join(HOME, `${workload}.log`), 'utf8');
    expect(log).toContain(`guest: ${count} of ${count} requests were answered`);
    replay(traceOf(workload), profileOf(workload), ...MACHINE, '--from', 'mark:begin', '--to', 'mark:end');
  }
}, 3_600_000);

function dprofJson(command: string, ...words: string[]) {
  const { status, stdout, stderr } = spawnSync(DPROF, [command, ...words, '--format', 'json'], {
    encoding: 'utf8',
    maxBuffer: 1 << 29,
    env: { ...process.env, DPROF_CACHE: '0' },
  });
  expect(status, stderr).toBe(0);
  return JSON.parse(stdout);
}

const topTypes = (workload: Workload): string[] =>
  textRows(profileOf(workload), 'data-profile', '--top', '10').map((row) => row.split(/ {2,}/)[0]!);

test.each(WORKLOADS)(
  '%s: nearly all misses are named by a type or an allocation site, and numbers add up',
  (workload) => {
    const { typing } = dprofJson('report', profileOf(workload));
    const { of, groups } = typing.l1Misses;
    expect((groups.named + groups.heapBySite) / of).toBeGreaterThan(0.99);
    expectTotals(profileOf(workload));
  },
);

test('both engines give the same', () => expectEnginesAgree(traceOf('queue'), folder, '1M'));

test('a web server misses in its sockets, and in what is left of those that it had', () => {
  const types = topTypes('http');
  for (const type of ['tcp_sock', 'task_struct', 'tcp_timewait_sock']) expect(types).toContain(`struct ${type}`);
});

test("objects of TCP's caches are of their true types", () => {
  const { rows } = dprofJson('report', profileOf('queue'), '--view', 'working-set');
  const livesOf = (type: string): number => rows.find((row: { type: string }) => row.type === type)?.lives ?? 0;
  for (const [type, each] of [
    ['tcp_sock', 2], // the client's, and the child of the listening one
    ['socket_alloc', 2],
    ['tcp_request_sock', 1],
    ['tcp_timewait_sock', 1],
    ['sk_buff_fclones', 5],
    ['sk_buff', 4],
    ['file', 3],
    ['dentry', 2],
  ] as const)
    expect(livesOf(`struct ${type}`), type).toBeGreaterThanOrEqual(each * REQUESTS.queue);
});

test('the queue of 512 outgrows the L2, and one of 16 does not', () => {
  const [long, short] = (['queue', 'queue-limited'] as const).map((workload) => {
    const words = ['--view', 'working-set', '--type', 'struct tcp_sock'];
    const { rows, machine } = dprofJson('report', profileOf(workload), ...words);
    expect(machine.l2.sizeBytes).toBe(512 << 10);
    return rows[0];
  });
  expect(long.peakLiveObjects).toBe(2 * 512 + 2);
  expect(long.averageLiveBytes).toBeGreaterThan(2 * (512 << 10));
  expect(short.peakLiveObjects).toBeLessThanOrEqual(2 * 16 + 2);
  expect(short.averageLiveBytes).toBeLessThan((512 << 10) / 8);
});

test('it costs 390 L2 misses a request, half of them of sockets, and nothing else changes', () => {
  const { totals, rows, per } = dprofJson('diff', profileOf('queue'), profileOf('queue-limited'), '--per', 'request');
  expect(per).toMatchObject({ before: REQUESTS.queue, after: REQUESTS['queue-limited'] });
  const { before, after } = totals.levels.l2.misses.perWork;
  expect(before).toBeGreaterThan(350);
  expect(after).toBeLessThan(10);
  const { references } = totals;
  expect(Math.abs(references.perWork.after / references.perWork.before - 1)).toBeLessThan(0.02);
  expect(rows[0].type).toBe('struct tcp_sock');
  const ofSockets = rows[0].levels.l2.misses.perWork;
  expect(ofSockets.before - ofSockets.after).toBeGreaterThan((before - after) / 2.2);
  expect(topTypes('queue')[0]).toBe('struct tcp_sock');
});

/** What a connection's socket does from the burst's acceptance on, and how long after it was made, in instructions. */
function acceptOf(workload: Workload, burst: number) {
  const { rows } = dprofJson(
    ...([
      'report',
      traceOf(workload),
      ...MACHINE,
      '--from',
      `mark:serve#${burst}`,
      '--to',
      `mark:read#${burst}`,
    ] as const),
    ...['--view', 'path-traces', '--type', 'struct tcp_sock'],
  );
  const { steps } = rows.find((row: { allocatedBy: string }) => row.allocatedBy === 'sk_clone_lock');
  return steps.find((step: { function: string }) => step.function === '__inet_accept');
}

test('between the handshake and accept a socket goes out of all caches, unless few wait', () => {
  const [long, short] = [acceptOf('queue', 2), acceptOf('queue-limited', 20)];
  expect(long.hit.memory).toBeGreaterThan(0.9);
  expect(short.hit.memory ?? 0).toBe(0);
  const ages = [long, short].map((step) => step.averageTimeSinceAllocationInstructions);
  expect(ages[0]).toBeGreaterThan(20 * ages[1]);
});

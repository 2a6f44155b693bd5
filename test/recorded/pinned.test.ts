// Stage: test. Threads that a program pins to CPUs are, with --map=cpu, on the cores of those CPUs, from their first
// reference behind it on.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { outputOf } from '../cli/command-client.js';
import { build, record, report, ROOT } from './recorded.js';

const ROUNDS = 3000;
/** "Cpus_allowed_list: 0-3,8" */
const allowed = (/^Cpus_allowed_list:\s*(.*)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '')
  .split(',')
  .flatMap((range) => {
    const [first, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
const [first, second] = allowed;

describe.skipIf(allowed.length < 2)('threads pinned by turns to two CPUs', () => {
  let trace: string;
  beforeAll(() => void (trace = record(build('pinned.c', ['-O1', '-fno-vectorize']), [String(first), String(second)])));

  /** Core, kind, address and size of each, in replay order; none crosses a line. */
  function accesses(...words: string[]): string[][] {
    return outputOf(['dump', trace, '--references', ...words])
      .trimEnd()
      .split('\n')
      .map((line) => line.split(' '));
  }

  /** By address of the line: how many accesses each core makes there. */
  function accessesByCore(...words: string[]): Map<string, Record<string, number>> {
    const counts = new Map<string, Record<string, number>>();
    for (const [core, , address] of accesses(...words)) {
      const line = `0x${(BigInt(`0x${address}`) & ~63n).toString(16)}`;
      if (!counts.has(line)) counts.set(line, {});
      counts.get(line)![core] = (counts.get(line)![core] ?? 0) + 1;
    }
    return counts;
  }

  function addressOf(variable: string): bigint {
    return BigInt(report(trace, 'address-set').rows.find((row) => row.variable === variable)!.address);
  }

  it('every reference is on the core of the CPU that its thread was pinned to', () => {
    const counts = accessesByCore('--map=cpu');
    const own = addressOf('own');
    const ofThreads = [0n, 1n, 2n, 3n].map((number) =>
      Object.keys(counts.get(`0x${(own + number * 64n).toString(16)}`)!),
    );
    expect(ofThreads).toEqual([['0'], ['1'], ['0'], ['1']]);
    expect(counts.get(`0x${addressOf('all').toString(16)}`)).toEqual({ 0: 2 * ROUNDS + 1, 1: 2 * ROUNDS });
    expect(counts.get(`0x${addressOf('begun').toString(16)}`)).toEqual({ 0: 2 });
  });

  it('by default each is on the core of its own number', () => {
    const counts = accessesByCore();
    const own = addressOf('own');
    expect(
      [0n, 1n, 2n, 3n].map((number) => Object.keys(counts.get(`0x${(own + number * 64n).toString(16)}`)!)),
    ).toEqual([['1'], ['2'], ['3'], ['4']]);
  });

  it.each(['native', 'ts'])('the report of the %s engine has two cores, and their CPUs', (engine) => {
    const view = report(trace, 'miss-classification', '--map=cpu', '--by', 'core', '--engine', engine) as any;
    expect([view.machine.cores, view.map, view.cpus]).toEqual([
      2,
      'cpu',
      [
        { cpu: first, core: 0 },
        { cpu: second, core: 1 },
      ],
    ]);
    expect(view.rows.map(({ core }: any) => core).sort()).toEqual([0, 1]);
  });

  it(
    'lines go from core to core as often as the accesses to them change cores, and not between threads of one ' + 'CPU',
    () => {
      const reported = (...words: string[]): any => report(trace, 'data-profile', '--schedule', 'recorded', ...words);
      let changes = 0;
      const last = new Map<bigint, string>();
      for (const [core, , address] of accesses('--map=cpu', '--schedule', 'recorded')) {
        const line = BigInt(`0x${address}`) >> 6n;
        if ((last.get(line) ?? core) !== core) changes++;
        last.set(line, core);
      }
      const onCpus = reported('--map=cpu');
      expect(onCpus.orderBound.transfers).toBe(changes);
      expect(onCpus.totals.references).toBe(reported().totals.references);
      expect(reported('--map=cpu', '--cores', '1').orderBound.transfers).toBe(0);
    },
  );

  it('dprof run replays it when it has ended: as many cores as there were CPUs is known only then', () => {
    const program = trace.slice(0, -'.dptrace'.length);
    const { map, cpus, machine, threads } = JSON.parse(
      execFileSync(
        join(ROOT, 'bin/dprof'),
        ['run', '--map=cpu', '--format', 'json', '--', program, String(first), String(second)],
        { encoding: 'utf8', maxBuffer: 1 << 28 },
      ),
    );
    expect([map, cpus, machine.cores, threads]).toEqual([
      'cpu',
      [
        { cpu: first, core: 0 },
        { cpu: second, core: 1 },
      ],
      2,
      5,
    ]);
  });

  it('one thread that migrates stores to its block on two cores, and frees it where it allocated it', () => {
    const block = (...words: string[]): any =>
      report(trace, 'address-set', ...words).rows.find((row) => row.bytes === 101);
    expect(block('--map=cpu')).toMatchObject({ thread: 0, core: 0, bounce: true, freedOnOtherCore: false });
    expect(block()).toMatchObject({ thread: 0, core: 0, bounce: false, freedOnOtherCore: false });
  });
});

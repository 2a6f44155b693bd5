// Stage: test. io_uring: what a completion filled is a write of the kernel, in the order of the program's loads, and
// threads meet at the ring. Needs Debian's liburing-dev, and a kernel that lets everybody use io_uring.
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { build, dump, record, report } from './recorded.js';

const SWITCH = '/proc/sys/kernel/io_uring_disabled';
const IS_ALLOWED = existsSync(SWITCH) && readFileSync(SWITCH, 'utf8').trim() === '0';
const HAS_LIBRARY = existsSync('/usr/include/liburing.h');

/** Bytes that the kernel wrote, in the order in which the program saw it: with an address, and without. */
const PLAIN = [48];
const FILE = [...PLAIN, 5, 16, 4, 40];
const PIPES = [8, 7, 6, 5, 4, 3, 2, 1];
const GROUPS = [5, 5, 7, 9, 8];
const LIBRARY = { ranges: [...FILE, ...PIPES, ...GROUPS, 24], somewhere: [12, 12], threads: 2 };
const RAW = { ranges: [...PLAIN, 6, 3], somewhere: [], threads: 1 };

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
const numbersIn = (lines: readonly string[], pattern: RegExp): number[] =>
  lines.flatMap((line) => pattern.exec(line)?.slice(1).map(Number) ?? []);

describe.runIf(IS_ALLOWED && HAS_LIBRARY)('a program that uses io_uring', () => {
  describe.each([
    ['liburing', '-luring', LIBRARY],
    ['liburing in it', '-l:liburing.a', LIBRARY],
    ['a static program', '-static -luring', LIBRARY],
    ['link-time optimisation', '-flto -luring', LIBRARY],
    ['system calls', '-DRAW', RAW],
    ['system calls, static', '-DRAW -static', RAW],
  ])('%s', (_, flags, { ranges, somewhere, threads }) => {
    it.each(['-O0', '-O2'])('%s', (level) => {
      const program = build('ring.c', [level, '-g', '-fuse-ld=lld', ...flags.split(' ')]); // a library may come first
      const trace = record(program);
      const lines = dump(trace);
      expect(numbersIn(lines, /^ {2}unseen kernel [0-9a-f]+ (\d+) bytes/)).toEqual(ranges);
      expect(numbersIn(lines, /^ {2}unseen (\d+) bytes/).slice(0, somewhere.length)).toEqual(somewhere);
      const [ring] = lines.flatMap((line) => /^ {2}release .* file (180[0-9a-f]+)$/.exec(line)?.slice(1) ?? []);
      const other = lines.slice(lines.findIndex((line) => line.startsWith('thread 1:')) + 1);
      if (threads > 1) expect(other.filter((line) => line.endsWith(` file ${ring}`))).toHaveLength(1);
      const stores: number[] = [];
      for (const engine of ['native', 'ts']) {
        const without = report(trace, 'data-profile', '--engine', engine);
        const withStores = report(trace, 'data-profile', '--engine', engine, '--kernel-stores');
        expect(without.refusals).toEqual({});
        expect(without.unseenBytes - withStores.unseenBytes).toBe(sum(ranges));
        expect(withStores.unseenBytes).toBeGreaterThanOrEqual(sum(somewhere));
        stores.push(withStores.totals.stores - without.totals.stores);
      }
      // No range lies in several lines.
      expect(stores).toEqual([ranges.length, ranges.length]);
    });
  });

  it('a ring that nobody can follow is in every report', () => {
    const trace = record(build('ring-unseen.c', ['-O2', '-g']));
    expect(report(trace, 'data-profile').refusals).toEqual({ 'io_uring: what the kernel reads and writes': 1 });
  });
});

// Stage: test. A program that uses io_uring does what it does without dprof, and its reports say what they lack.
// Needs Debian's liburing-dev, and a kernel that lets everybody use io_uring.
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { build, record, report, reportText } from './recorded.js';

const NOTICE = 'io_uring: what the kernel reads and writes';
const SWITCH = '/proc/sys/kernel/io_uring_disabled';
const IS_ALLOWED = existsSync(SWITCH) && readFileSync(SWITCH, 'utf8').trim() === '0';
const HAS_LIBRARY = existsSync('/usr/include/liburing.h');

describe.runIf(IS_ALLOWED && HAS_LIBRARY)('a program that uses io_uring', () => {
  it.each([
    ['liburing', '-luring', 4],
    ['liburing in it', '-l:liburing.a', 4],
    ['a static program', '-static -luring', 4],
    ['system calls', '-DRAW', 2],
  ])('%s', (_, flags, calls) => {
    for (const level of ['-O0', '-O2']) {
      const program = build('ring.c', [level, '-g', '-fuse-ld=lld', ...flags.split(' ')]); // a library may come first
      const trace = record(program);
      expect(report(trace, 'data-profile').refusals).toEqual({ [NOTICE]: calls });
      expect(reportText(trace)).toContain(`(${NOTICE}: ${calls})`);
    }
  });
});

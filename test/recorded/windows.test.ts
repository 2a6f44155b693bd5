// Stage: test. Windows, and what interrupts a thread meanwhile: handlers, jumps out of them, forks, other threads, the
// end. windows.c says what must be recorded by sizes: stores of 1 byte always are, those of 2 never.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { readPlain } from '../runtime/plain-reader.js';
import { accesses, build, dump, record, report, ROOT } from './recorded.js';

let program: string;
beforeAll(() => {
  program = build('windows.c', ['-O1', '-fno-vectorize', '-fno-unroll-loops'], { DPROF_LOOPS: '0' });
});

/** "closed stop", "opened", in the order of their stamps; what was thrown away left out. */
function marks(trace: string): string[] {
  return dump(trace)
    .flatMap((line) => {
      const found = /^ {2}mark stamp (\d+) (closed|opened) "(.*)"$/.exec(line);
      return found ? [[BigInt(found[1]), `${found[2]} ${found[3]}`.trim()] as const] : [];
    })
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, mark]) => mark);
}

function dropped(trace: string): number {
  return dump(trace).reduce(
    (sum, line) => sum + Number(/^ {2}mark stamp \d+ dropped (\d+) words$/.exec(line)?.[1] ?? 0),
    0,
  );
}

/** Blocks given out, by size. */
function allocated(trace: string, bytes: number): number {
  return dump(trace).filter((line) => new RegExp(`^  allocate stamp \\d+ [0-9a-f]+ ${bytes} bytes$`).test(line)).length;
}

const size = (trace: string, bytes: number): number => accesses(trace)[`w ${bytes}`] ?? 0;

/** Traces of the children, in the order of their pids. */
function children(trace: string): string[] {
  const name = `${basename(trace)}.`;
  return readdirSync(dirname(trace))
    .filter((file) => file.startsWith(name) && /^\d+$/.test(file.slice(name.length)))
    .sort((a, b) => Number(a.slice(name.length)) - Number(b.slice(name.length)))
    .map((file) => join(dirname(trace), file));
}

describe('handlers', () => {
  it('record what they do if a window is open, and can open and close one', () => {
    const trace = record(program, ['handlers']);
    expect(size(trace, 1)).toBe(10 + 5 + 10 + 5 + 10);
    expect(size(trace, 2)).toBe(0);
    expect(size(trace, 4)).toBe(1);
    expect(marks(trace)).toEqual(['closed stop', 'opened', 'closed stop', 'opened']);
    expect(allocated(trace, 40)).toBe(2);
    expect(dump(trace).filter((line) => /^ {2}signal number 10$/.test(line))).toHaveLength(8);
  });

  it('count what was thrown away once, however they come in between', () => {
    // 10 stores before the handlers, 3 in the one that closes, 2000 behind it, each a path with its address; the other
    // handlers' functions are at rest.
    expect(dropped(record(program, ['handlers']))).toBe(2 * (10 + 3 + 2000));
  });

  it('that never return leave the window as they set it', () => {
    const trace = record(program, ['jumps']);
    expect(size(trace, 1)).toBe(10 + 5 + 10 + 5 + 10);
    expect(size(trace, 2)).toBe(0);
    expect(marks(trace)).toEqual(['closed stop', 'opened', 'closed stop', 'opened']);
  });

  it('in a storm of signals that open and close, the trace is whole and each closing has its opening', () => {
    const trace = record(program, ['storm']);
    const found = marks(trace);
    expect(found.length).toBeGreaterThan(4);
    expect(found.filter((mark) => mark === 'closed stop').length).toBe(
      found.filter((mark) => mark === 'opened').length,
    );
    expect(report(trace, 'data-profile').windows.closed).toBe(found.length / 2);
    expect(size(trace, 1)).toBe(10);
    expect(dump(trace).at(-1)).toMatch(/^end .*"code":0/);
    expect(
      dump(trace).filter((line) => /^ {2}allocate stamp \d+ [0-9a-f]+ 32 bytes$/.test(line)).length,
    ).toBeGreaterThanOrEqual(100);
  });
});

describe('forks', () => {
  it('in an open window and in a closed one: the child goes on as it was, and its trace says so', () => {
    const trace = record(program, ['forks']);
    expect(size(trace, 1)).toBe(20);
    expect(marks(trace)).toEqual(['closed stop', 'opened']);
    const [open, closed] = children(trace);
    expect([size(open, 1), size(open, 2), marks(open)]).toEqual([27, 0, []]);
    expect([size(closed, 1), size(closed, 2), marks(closed)]).toEqual([7, 0, ['closed stop', 'opened']]);
    expect([open, closed].map((child) => allocated(child, 56))).toEqual([1, 1]);
    expect(report(closed, 'data-profile').windows.closed).toBe(1);
  });

  it('in handlers', () => {
    for (const earlier of children(`${program}.dptrace`)) rmSync(earlier);
    const trace = record(program, ['forks-in-handlers']);
    expect([size(trace, 1), size(trace, 2)]).toEqual([10, 0]);
    const [closed, open] = children(trace);
    expect([size(open, 1), size(open, 2), marks(open)]).toEqual([27, 0, []]);
    expect([size(closed, 1), size(closed, 2), marks(closed)]).toEqual([7, 0, ['closed stop', 'opened']]);
  });
});

describe('threads', () => {
  it('that open and close at once leave a trace in which each closing has its opening', () => {
    const trace = record(program, ['threads']);
    const found = marks(trace).map((mark) => mark.split(' ')[0]);
    expect(found.filter((mark) => mark === 'closed').length).toBe(found.filter((mark) => mark === 'opened').length);
    expect(found.length).toBeGreaterThan(2);
    expect(allocated(trace, 24)).toBe(1200);
    expect(size(trace, 1)).toBe(10);
    const { closed, closedSeconds } = report(trace, 'data-profile').windows;
    expect(closed).toBe(found.length / 2);
    expect(closedSeconds).toBeLessThan(readPlain(trace).end!.durationNs / 1e9);
  });

  it(
    'end closed, with all that they allocated and threw away; and see within a thousand references that another ' +
      'opened',
    () => {
      const trace = record(program, ['others']);
      expect([size(trace, 1), size(trace, 2)]).toEqual([30, 0]);
      expect(allocated(trace, 72)).toBe(1);
      expect(dropped(trace)).toBeGreaterThan(200);
      expect(size(trace, 4)).toBeGreaterThan(29_000);
      expect(dump(trace).filter((line) => line.startsWith('  thread-end')).length).toBe(2);
    },
  );
});

it('a sink of decoded records is told of marks', () => {
  const text = `${program}.txt`;
  expect(spawnSync(join(ROOT, 'bin/dprof'), ['record', '-o', `text:${text}`, '--', program, 'handlers']).status).toBe(
    0,
  );
  const told = readFileSync(text, 'utf8')
    .split('\n')
    .filter((line) => / mark /.test(line));
  expect(told).toEqual([
    '0 mark closed stop',
    '0 mark opened',
    '0 mark dropped 20 words',
    '0 mark closed stop',
    '0 mark opened',
    '0 mark dropped 4006 words',
  ]);
});

describe('plans', () => {
  it('--burst by time', () => {
    const trace = record(program, ['busy'], ['--burst', '20ms/100ms']);
    const found = marks(trace);
    const [closed, opened] = ['closed burst', 'opened'].map((which) => found.filter((mark) => mark === which).length);
    expect(closed).toBeGreaterThanOrEqual(2);
    expect([0, 1]).toContain(closed - opened);
    expect(report(trace, 'data-profile').windows.closedSeconds).toBeGreaterThan(0.1);
    expect(size(trace, 4)).toBeGreaterThan(100);
  });

  it('count only while the program wants to be recorded: --paused and --after', () => {
    const trace = record(program, ['paused'], ['--paused', '--after', '4K']);
    expect(size(trace, 4)).toBe(0);
    expect(size(trace, 8)).toBeGreaterThan(20_000 - 2000 - 1000);
    expect(size(trace, 8)).toBeLessThan(20_000 - 2000 + 1000);
  });
});

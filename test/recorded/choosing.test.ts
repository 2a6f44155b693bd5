// Stage: test. What is recorded: functions, files and types when compiling; windows when running. Counts are of the
// lines of chosen.c.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { accesses, build, dump, FOLDER, record, report, reportText, ROOT } from './recorded.js';

const PLAIN = ['-O1', '-fno-vectorize', '-fno-unroll-loops', '-fno-slp-vectorize'];

describe('when compiling', () => {
  it.each([
    [[], { 'w 8': 200, 'r 8': 200 }, 0],
    [['--only', 'fill_left'], { 'w 8': 100 }, 9],
    [['--skip', 'fill_*'], { 'w 8': 100, 'r 8': 200 }, 1],
    [['--only=set_right'], { 'w 8': 100 }, 9],
    [['-fdprof-skip=set_right'], { 'w 8': 100, 'r 8': 200 }, 1],
    [['--skip', 'type:right'], { 'w 8': 100, 'r 8': 100 }, 2],
    [['--only', 'type:{left,other}'], { 'w 8': 100, 'r 8': 100 }, 8],
    [['--skip=src:*/chosen.c'], {}, 10],
    [['--only', 'src:chosen.c', '--skip', 'add'], { 'w 8': 200 }, 2],
  ] as const)('%j records %j', (flags, expected, leftOut) => {
    const trace = record(build('chosen.c', [...PLAIN, ...flags]));
    expect(accesses(trace)).toEqual(expected);
    const refused = dump(trace).flatMap((line) => /^not recorded (\d+) .* not chosen$/.exec(line)?.[1] ?? []);
    expect(refused.map(Number)).toEqual(leftOut === 0 ? [] : [leftOut]);
  });

  it('a special-case list of LLVM leaves out what it names', () => {
    const list = join(FOLDER, 'list.txt');
    writeFileSync(list, '[dprof]\nfun:fill_*\ntype:struct left\n');
    const trace = record(build('chosen.c', [...PLAIN, `-fdprof-list=${list}`]));
    expect(accesses(trace)).toEqual({ 'w 8': 100, 'r 8': 100 });
    expect(reportText(trace)).toMatch(
      /left out +2 instructions.*function or file that was not chosen: 1, type that was not chosen: 1/s,
    );
  });

  it.each([['--only=a['], ['-fdprof-list=/none/there'], ['-fdprof-nonsense']])('%s is refused in one line', (flag) => {
    const { status, stderr } = spawnSync(join(ROOT, 'bin/dprof-cc'), [flag, '-c', '-x', 'c', '-', '-o', '/dev/null'], {
      input: 'int x;\n',
      encoding: 'utf8',
    });
    expect(status).toBe(1);
    expect(
      stderr
        .trimEnd()
        .split('\n')
        .filter((line) => /dprof/.test(line)),
    ).toHaveLength(1);
  });
});

describe('when running', () => {
  let program: string;
  beforeAll(() => {
    // each reference has words of its own, so that they can be counted
    program = build('chosen.c', PLAIN, { DPROF_LOOPS: '0' });
  });

  const marks = (trace: string): string[] =>
    dump(trace).flatMap((line) => /^ {2}mark stamp \d+ (.*)$/.exec(line)?.[1] ?? []);

  it(
    'dprof_stop and dprof_start: nothing in between, not even of a function on its way; what was allocated ' +
      'meanwhile is known',
    () => {
      const trace = record(program, ['stop']);
      expect(accesses(trace)).toMatchObject({ 'w 8': 100, 'w 16': 1, 'w 32': 1 });
      expect(marks(trace)).toEqual([
        'phase "closed part"',
        'closed "stop"',
        'opened ""',
        expect.stringMatching(/^dropped \d+ words$/),
        'phase "open part"',
      ]);
      const { windows, phases } = report(trace, 'data-profile');
      expect(windows.closed).toBe(1);
      expect(phases.map(({ name }) => name)).toEqual(['closed part', 'open part']);
      expect(
        report(trace, 'address-set')
          .rows.filter((row) => row.kind === 'heap')
          .map((row) => [row.bytes, row.references]),
      ).toEqual([[48, 2]]);
      expect(reportText(trace)).toMatch(
        /^SKIPPED +no references were recorded in \d+\.\d+ s of the run, 1\s+stretch;\s+2,\d+\s+logged\s+words/m,
      );
      expect(reportText(trace)).toMatch(/^phases +closed part at \d+, open part at \d+$/m);
    },
  );

  it('--paused records from dprof_start on', () => {
    const trace = record(program, ['stop'], ['--paused']);
    expect(accesses(trace)['r 8']).toBe(200);
    expect(marks(trace)[0]).toBe('closed "paused"');
  });

  it('--from and --until open and close where a function is entered', () => {
    // 200 in each round, and main's own of its argument;
    expect(accesses(record(program, ['', '3'], ['--from', 'add']))).toEqual({ 'r 8': 603 });
    const trace = record(program, ['', '3'], ['--from', 'fill_right', '--until', 'add']);
    expect(accesses(trace)['w 8']).toBe(100);
    expect(marks(trace)).toEqual([
      'closed "from"',
      'opened ""',
      'dropped 202 words',
      'closed "until"',
      expect.stringMatching(/^dropped \d+ words$/),
    ]);
  });

  it('--toggle closes and opens by a signal', () => {
    expect(accesses(record(program, ['signal'], ['--toggle', 'USR2']))['w 8']).toBe(100);
    const trace = record(program, ['signal'], ['--toggle', 'SIGUSR2', '--paused']);
    expect(accesses(trace)).toEqual({ 'w 8': 100 });
    expect(marks(trace).filter((mark) => !mark.startsWith('dropped'))).toEqual([
      'closed "paused"',
      'opened ""',
      'closed "signal"',
    ]);
  });

  it('--after, --for and --burst count logged words, to within a thousand', () => {
    const all = accesses(record(program, ['', '100']))['r 8'];
    const after = accesses(record(program, ['', '100'], ['--after', '5K']))['r 8'];
    // A path of this loop has a word for itself and two for its loads.
    expect(all - after).toBeGreaterThan(2800);
    expect(all - after).toBeLessThan(4000);
    const during = record(program, ['', '100'], ['--for', '5K']);
    expect(accesses(during)['r 8']).toBeGreaterThan(2800);
    expect(accesses(during)['r 8']).toBeLessThan(4000);
    const burst = record(program, ['', '100'], ['--burst', '1K/5K']);
    expect(accesses(burst)['r 8']).toBeLessThan(all * 0.35);
    expect(report(burst, 'data-profile').windows.closed).toBe(
      marks(burst).filter((mark) => mark === 'closed "burst"').length,
    );
    expect(marks(burst).filter((mark) => mark === 'closed "burst"').length).toBeGreaterThanOrEqual(4);
  });

  it('two recordings of a window by count are the same', () => {
    const of = (trace: string): string[] => dump(trace).filter((line) => line.startsWith('  segment'));
    expect(of(record(program, ['', '60'], ['--burst', '2K/5K']))).toEqual(
      of(record(program, ['', '60'], ['--burst', '2K/5K'])),
    );
  });

  it('a window by count is the same wherever the thread runs', () => {
    const moved = build('moved.c', ['-O1']);
    const of = (words: readonly string[]): unknown => {
      const trace = record(moved, words, ['--burst', '10K/50K']);
      const { closed, droppedWords } = report(trace, 'data-profile').windows;
      return [closed, droppedWords, accesses(trace)];
    };
    const stays = of([]);
    expect(stays).toEqual([3, expect.any(Number), expect.objectContaining({ 'r 8': expect.any(Number) })]);
    expect(of(['moves'])).toEqual(stays);
  });

  it.each([
    ['in one thread', []],
    ['in handlers too', ['handlers']],
  ])('a loop that is recorded once counts a word for every four of its references, %s', (_, words) => {
    const dense = build('dense.c', ['-O1', '-fno-unroll-loops']);
    const loads = (flags: readonly string[]): number => accesses(record(dense, ['1000', ...words], flags))['r 4'];
    // 1000 sums, of which each counts 250 words and the few of its paths (at most 30, with the handler's): the window
    // changes at most two sums late.
    expect(loads([])).toBe(1_000_000);
    const behind = loads(['--after', '50K']) / 1000;
    expect(behind).toBeGreaterThanOrEqual(800);
    expect(behind).toBeLessThanOrEqual(822);
    const first = loads(['--for', '50K']) / 1000;
    expect(first).toBeGreaterThanOrEqual(178);
    expect(first).toBeLessThanOrEqual(202);
    const bursts = loads(['--burst', '10K/50K']) / 1000;
    expect(bursts).toBeGreaterThanOrEqual(170);
    expect(bursts).toBeLessThanOrEqual(240);
  });

  it.each([
    [['--after', 'soon'], '--after soon is no extent'],
    [['--burst', '5M/1M'], 'the first must be smaller'],
    [['--burst', '5M/1s'], 'of the same unit'],
    [['--toggle', 'SIGKILL'], 'no signal that a program can catch'],
    [['--from', 'nowhere'], 'has no function nowhere'],
  ])('%j is refused with a hint', (flags, message) => {
    const { status, stderr } = spawnSync(
      join(ROOT, 'bin/dprof'),
      ['record', ...flags, '-o', '/dev/null', '--', program],
      { encoding: 'utf8' },
    );
    expect(status).toBeGreaterThan(0);
    expect(stderr).toContain(message);
    expect(stderr.trimEnd().split('\n')).toHaveLength(2);
  });
});

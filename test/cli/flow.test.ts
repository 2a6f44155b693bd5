// Stage: test. Paths and working set as a user asks for them.

import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { dprof, makeFolder, saveTrace, writePairTrace } from './command-line.js';

const folder = makeFolder();
const at = (name: string): string => join(folder, name);
const trace = at('pair.dptrace');

beforeAll(() => {
  saveTrace(folder, 'pair.dptrace', writePairTrace(10).finish({ exit: { code: 0 } }));
  expect(dprof('replay', '--engine', 'ts', trace, '-o', at('pair.dprofile'))).toEqual({
    status: 0,
    stdout: '',
    stderr: '',
  });
});

function rowsOf(view: string, ...words: string[]): any[] {
  const { status, stdout, stderr } = dprof('report', ...words, '--view', view, '--format', 'json');
  expect([status, stderr]).toEqual([0, '']);
  return JSON.parse(stdout).rows;
}

test('a profile has paths, and a report of the trace makes the same ones where it shows them', () => {
  for (const view of ['working-set', 'path-traces', 'data-flow'])
    expect(rowsOf(view, '--engine', 'ts', trace)).toEqual(rowsOf(view, at('pair.dprofile')));
  const [{ type, variable, frequency, end, steps }] = rowsOf('path-traces', at('pair.dprofile'));
  expect([type, variable, frequency, end]).toEqual(['struct pair', 'shared', 1, 'alive']);
  // Both threads in turn, each in its own function on its own core.
  expect(steps.map((step: any) => [step.function, step.coreChange, step.offsets])).toEqual(
    Array.from({ length: 20 }, (_, turn) =>
      turn % 2 === 0 ? ['count_left', turn > 0, [0, 8]] : ['count_right', true, [8, 16]],
    ),
  );
});

test('paths by line, and no more than so many', () => {
  const steps = (...words: string[]): any[] => rowsOf('path-traces', '--engine', 'ts', trace, ...words)[0]?.steps ?? [];
  expect(
    steps('--path-by', 'line')
      .slice(0, 2)
      .map(({ file, line }) => [file, line]),
  ).toEqual([
    ['drawn.c', 11],
    ['drawn.c', 21],
  ]);
  expect(
    JSON.parse(
      dprof('report', '--engine', 'ts', trace, '--view', 'data-flow', '--format', 'json', '--most-paths', '1').stdout,
    ).flow,
  ).toMatchObject({ by: 'function', mostPaths: 1, lives: 1, livesOnOtherPaths: 0 });
});

test('of a path no more steps than so many', () => {
  const long = saveTrace(folder, 'long.dptrace', writePairTrace(100).finish({ exit: { code: 0 } }));
  const told = (...words: string[]): [steps: number, cut: boolean] => {
    const [{ steps, cut }] = rowsOf('path-traces', '--engine', 'ts', long, ...words);
    return [steps.length, cut];
  };
  expect(told()).toEqual([64 + 1, true]);
  expect(told('--most-steps', '250')).toEqual([200, false]);
  expect(told('--most-steps', '7')).toEqual([7 + 1, true]);
  const { stdout } = dprof('report', '--engine', 'ts', long, '--view', 'path-traces', '--most-steps', '7');
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain('CUT: 1 life (100.0%) had more steps than 7: --most-steps.');
});

test('text folds what comes again', () => {
  const { stdout } = dprof('report', at('pair.dprofile'), '--view', 'path-traces');
  expect(stdout).toContain('9 times:');
});

test('without them a view says what to do', () => {
  dprof('replay', '--engine', 'ts', '--no-flow', trace, '-o', at('bare.dprofile'));
  expect(dprof('report', at('bare.dprofile'), '--view', 'working-set')).toEqual({
    status: 1,
    stdout: '',
    stderr:
      'dprof: the profile has no paths, so it has no working set\nhint: replay the trace once more, under one ' +
      'schedule and without --no-flow: dprof replay TRACE -o PROFILE\n',
  });
  expect(dprof('report', at('bare.dprofile')).status).toBe(0);
});

test.each<[words: () => string[], message: string, hint: string]>([
  [
    () => ['replay', trace, '-o', at('x'), '--path-by', 'luck'],
    "--path-by: 'luck' is nothing that a step can be in",
    'use function, line, ip',
  ],
  [
    () => ['replay', trace, '-o', at('x'), '--most-paths', '0'],
    "--most-paths: '0' is not a positive whole number",
    'for example --most-paths 100000',
  ],
  [
    () => ['replay', trace, '-o', at('x'), '--most-steps', '251'],
    "--most-steps: '251' is no number from 1 to 250",
    'for example --most-steps 250',
  ],
  [
    () => ['replay', trace, '-o', at('x'), '--path-by', 'ip', '--no-flow'],
    '--path-by does nothing with --no-flow',
    'leave one of them out',
  ],
  [
    () => ['replay', trace, '-o', at('x'), '--most-paths', '9', '--schedules', '2'],
    '--most-paths does nothing with --schedules, which collects no paths',
    'replay under one schedule',
  ],
  [
    () => ['report', trace, '--path-by', 'line'],
    '--path-by does nothing for this view, which shows no paths',
    'give --view path-traces, data-flow or working-set',
  ],
  [
    () => ['report', at('pair.dprofile'), '--view', 'data-flow', '--path-by', 'line'],
    `--path-by does nothing for ${at('pair.dprofile')}, which was replayed already`,
    'give the trace instead of the profile',
  ],
  [
    () => ['report', at('pair.dprofile'), '--no-flow'],
    `--no-flow does nothing for ${at('pair.dprofile')}, which was replayed already`,
    'give the trace instead of the profile',
  ],
])('%s', (words, message, hint) => {
  expect(dprof(...words())).toEqual({ status: 2, stdout: '', stderr: `dprof: ${message}\nhint: ${hint}\n` });
});

test('help lists the views and the flags', () => {
  const { stdout } = dprof('report', '--help');
  expect(stdout).toMatch(/working-set,\s+path-traces,\s+data-flow/);
  expect(stdout).toMatch(
    /Paths and working set .+:\n {2}--path-by <what> --most-paths <n> --most-steps <n> --no-flow\n/,
  );
});

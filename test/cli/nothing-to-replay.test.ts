// Stage: test. Replay flags where nothing is replayed, and traces with nothing to replay.

import { expect, test } from 'vitest';
import { TraceWriter } from '../trace/trace-writer.js';
import { dprof, makeFolder, saveTrace, writePairTrace } from './command-line.js';

const folder = makeFolder();

test.each([
  ['--cores', '0'],
  ['--l1', '32K/8'],
  ['--engine', 'ts'],
  ['--schedule', 'recorded'],
])('dump %s without --references is wrong usage', (flag, value) => {
  const path = saveTrace(folder, 'pair.dptrace', writePairTrace(2).finish({ exit: { code: 0 } }));
  const { status, stdout, stderr } = dprof('dump', path, flag, value);
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toBe(
    `dprof: ${flag} does nothing for a trace as it is in the file\nhint: add --references: accesses in replay order\n`,
  );
});

test('dump --references takes them', () => {
  const path = saveTrace(folder, 'pair.dptrace', writePairTrace(2).finish({ exit: { code: 0 } }));
  expect(dprof('dump', path, '--references', '--cores', '1').stdout).toBe(
    '0 w 4000 8\n0 w 4008 8\n0 w 4000 8\n0 w 4008 8\n',
  );
  expect(dprof('dump', path, '--references', '--cores', '0').status).toBe(2);
});

const process = { command: ['./cut'], executable: '/tmp/cut', cpus: 1, randomised: false };
const LINE = 'truncated    the trace was cut before its first reference: nothing was recorded\n';

test('a trace that was cut before its first reference says so', () => {
  const path = saveTrace(folder, 'cut.dptrace', new TraceWriter({ process }).unfinished());
  const report = dprof('report', path, '--engine', 'ts');
  expect(report).toMatchObject({ status: 0, stderr: '' });
  expect(report.stdout).toContain(LINE);
});

test('a whole trace without references, and a cut one with some, do not', () => {
  const empty = saveTrace(folder, 'empty.dptrace', new TraceWriter({ process }).finish({ exit: { code: 0 } }));
  const some = saveTrace(folder, 'some.dptrace', writePairTrace(2).unfinished());
  for (const path of [empty, some])
    expect(dprof('report', path, '--engine', 'ts').stdout).not.toContain('nothing was recorded');
});

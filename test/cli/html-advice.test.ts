// Stage: test. `dprof html --advice`: the file of advice is checked key by key before anything is replayed.

import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { AdviceJson } from '../../src/advise/advice-schema.js';
import { refuseOtherProgram } from '../../src/cli/advice-file.js';
import { drawAdvice, PAIR_NAMES } from '../html/drawn-advice.js';
import { dprof, makeFolder, saveTrace, writePairTrace } from './command-line.js';

const folder = makeFolder();
const file = join(folder, 'advice.json');
const page = join(folder, 'report.html');
const trace = saveTrace(folder, 'pair.dptrace', writePairTrace().finish({ exit: { code: 0 } }));
const advice = drawAdvice(PAIR_NAMES);
const HINT = 'hint: make the file so: dprof advise run.dptrace --format json > advice.json\n';

function htmlWith(text: string): ReturnType<typeof dprof> {
  writeFileSync(file, text);
  return dprof('html', trace, '--advice', file, '-o', page, '--engine', 'ts');
}

type Changed = Record<string, any>;

/** The advice with one key set, or taken away. */
function changed(path: string, value?: unknown): string {
  const copy: Changed = structuredClone(advice as Changed);
  const keys = path.split('.');
  const place = keys.slice(0, -1).reduce((at, key) => at[key], copy);
  if (value === undefined) delete place[keys.at(-1)!];
  else place[keys.at(-1)!] = value;
  return JSON.stringify(copy);
}

test.each([
  ['not JSON: Unexpected end of JSON input', ''],
  ['not a JSON object', '[]'],
  ['not a JSON object', 'null'],
  ['it has no schema; dprof.advise/1 has one', '{}'],
  ['not dprof.advise/1, but "dprof.diff/1"', '{"schema": "dprof.diff/1"}'],
  ['not dprof.advise/1, but 7', '{"schema": 7}'],
  ['it has no tried', changed('tried')],
  ['findings[0].change has no text', changed('findings.0.change.text')],
  ['left.largest has no kind', changed('left.largest.kind')],
  ['command must be a string', changed('command', 7)],
  ['findings must be a list', changed('findings', {})],
  ['findings[1] must be an object', changed('findings.1', null)],
  ['findings[0].cycles must be a whole number', changed('findings.0.cycles', '12')],
  ['findings[0].cycles must be a whole number', changed('findings.0.cycles', 1.5)],
  ['findings[0].cyclesShare must be a number', changed('findings.0.cyclesShare', null)],
  ['findings[0].site must be a string or null', changed('findings.0.site', 7)],
  ['findings[0].sides.missed must be an object', changed('findings.0.sides.missed', null)],
  ['findings[0].level must be one of l1, l2, llc', changed('findings.0.level', 'l4')],
  ['findings[0].fields[1] must be a string', changed('findings.0.fields.1', 7)],
  [
    'findings[0].change.structs[0].after.fields[0].use must be one of hot, cold, never used, new',
    changed('findings.0.change.structs.0.after.fields.0.use', 'warm'),
  ],
  [
    'findings[0].cyclesShare must be a number',
    JSON.stringify(advice).replace('"cyclesShare":0.6', '"cyclesShare":1e999'),
  ],
])('%s', (reason, text) => {
  const { status, stdout, stderr } = htmlWith(text);
  expect([status, stdout, existsSync(page)]).toEqual([2, '', false]);
  expect(stderr).toBe(`dprof: --advice ${file}: ${reason}\n${HINT}`);
});

test('the text of advise is no JSON', () => {
  const { status, stderr } = htmlWith('program      pair\n\n1. struct pair: false sharing\n');
  expect(status).toBe(2);
  expect(stderr.split('\n')).toEqual([expect.stringMatching(/^dprof: .*: not JSON: /), HINT.trimEnd(), '']);
});

test('a file that cannot be read', () => {
  const [gone, isFolder] = [join(folder, 'gone.json'), join(folder, 'folder')];
  mkdirSync(isFolder);
  for (const [path, code] of [
    [gone, 'ENOENT'],
    [isFolder, 'EISDIR'],
  ])
    expect(dprof('html', trace, '--advice', path, '-o', page)).toEqual({
      status: 2,
      stdout: '',
      stderr: `dprof: --advice ${path}: cannot be read (${code})\n${HINT}`,
    });
});

test.each(['pairs', 'pai', 'other of counters'])('advice for %s is of another program', (command) => {
  expect(htmlWith(changed('command', command))).toEqual({
    status: 2,
    stdout: '',
    stderr:
      `dprof: --advice ${file}: it is advice for '${command}', and the report is of 'pair'\n` +
      'hint: make both of one trace: dprof advise run.dptrace --format json > advice.json\n',
  });
  expect(existsSync(page)).toBe(false);
});

test('keys that are added later do not matter, nor do those that older advice lacks', () => {
  expect(htmlWith(changed('findings.0.later', { than: ['this'] })).status).toBe(0);
  const older: Changed = JSON.parse(changed('trace')) as AdviceJson;
  for (const { change } of older.findings) delete change?.structs;
  delete older.all.structs;
  expect(htmlWith(JSON.stringify(older))).toEqual({ status: 0, stdout: '', stderr: '' });
});

test('one of several processes is enough; samples have no advice', () => {
  const run = { command: ['/bin/sh', '-c', 'pair'], processes: [{ command: ['sh'] }, { command: ['bin/pair', '1'] }] };
  const ofRun = (report: object) => () => refuseOtherProgram({ command: 'pair 2' }, 'advice.json', report as never);
  expect(ofRun({ run })).not.toThrow();
  expect(ofRun({ run: { command: run.command } })).toThrow("it is advice for 'pair 2', and the report is of 'sh'");
  expect(ofRun({ run, sampled: {} })).toThrow('--advice advice.json: the report is of samples, and advice is of every');
});

// Stage: test. What reaches a terminal: colour there and nowhere else, lines no wider than it, and no byte that a name
// brings along.

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { renderAnnotatedSource } from '../../src/report/annotated-source-text.js';
import { renderAnnotatedType } from '../../src/report/annotated-type-text.js';
import { renderText } from '../../src/report/text-report.js';
import { chooseStyle } from '../../src/report/text-style.js';
import { annotateSource, listSourceFiles } from '../../src/views/annotated-source.js';
import { annotateType } from '../../src/views/annotated-type.js';
import { buildView, viewsOf } from '../../src/views/views.js';
import { dprof, DPROF, makeFolder, saveTrace, writePairTrace } from '../cli/command-line.js';
import { HOSTILE, hostile } from '../exports/hostile-profile.js';

const folder = makeFolder();
let profile: string;

beforeAll(() => {
  profile = join(folder, 'pair.dprofile');
  expect(
    dprof('replay', saveTrace(folder, 'pair.dptrace', writePairTrace(10).finish({ exit: { code: 0 } })), '-o', profile)
      .stderr,
  ).toBe('');
});

/** As a terminal of so many columns shows it. */
function onTerminal(columns: number, environment: string, ...words: string[]): string {
  const command =
    `stty cols ${columns} rows 40; env -u NO_COLOR TERM=xterm ${environment} ` +
    `${[DPROF, ...words].map((word) => `'${word}'`).join(' ')}`;
  return execFileSync('script', ['-qec', command, '/dev/null'], { encoding: 'utf8' }).replaceAll('\r\n', '\n');
}

const COLOUR = /\x1b\[\d+m/g;

test.each([
  ['annotate', '--type', 'struct pair'],
  ['annotate'],
  ['report', '--view', 'all'],
  ['report', '--view', 'functions'],
])(
  '%s %s %s: emphasised on a terminal, in as many columns as it has; plain with NO_COLOR, and where it is no terminal',
  (command, ...options) => {
    for (const columns of [72, 100]) {
      const shown = onTerminal(columns, '', command, profile, ...options);
      const plain = shown.replace(COLOUR, '');
      expect(shown).toMatch(COLOUR);
      expect(plain.split('\n').filter((line) => line.length > columns)).toEqual([]);
      expect(onTerminal(columns, 'NO_COLOR=1', command, profile, ...options)).toBe(plain);
    }
    expect(dprof(command, profile, ...options).stdout).not.toContain('\x1b');
  },
);

test('an empty NO_COLOR is none', () => {
  expect(onTerminal(100, 'NO_COLOR=', 'report', profile)).toMatch(COLOUR);
});

/** Anything that a terminal would act on. */
const UNSAFE = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

test('hostile names and sources are text in every view and annotation', () => {
  const style = chooseStyle({ columns: 100 }, {});
  for (const name of viewsOf(hostile))
    expect(renderText(new Map([[name, buildView(hostile, name, {})]]), { top: 50, style }), name).not.toMatch(UNSAFE);
  const filter = { type: HOSTILE['struct args'], function: HOSTILE.worker, field: HOSTILE.sx };
  expect(renderText(new Map([['functions', buildView(hostile, 'functions', filter)]]), { top: 50, style })).not.toMatch(
    UNSAFE,
  );

  const files = listSourceFiles(hostile, {});
  const lines = Array.from({ length: 40 }, (_, at) => `\t\x1b[31mline ${at}\u202e\r`);
  const source = annotateSource(
    hostile,
    {},
    files,
    new Map([[files[0], { state: 'newer', path: '/tmp/\x1b]0;x\x07', lines }]]),
    true,
  );
  const text = renderAnnotatedSource(source, style);
  expect(text).not.toMatch(UNSAFE);
  expect(text.split('\n').filter((line) => line.length > 100)).toEqual([]);

  const members = [
    { name: HOSTILE.sx, type: HOSTILE.int, offsetBytes: 0, sizeBytes: 4 },
    { name: HOSTILE.sy, type: HOSTILE.next, offsetBytes: 4, sizeBytes: 4 },
  ];
  const layouts = [
    { name: HOSTILE['struct args'], kind: 'struct' as const, sizeBytes: 8, file: HOSTILE['main.c'], line: 3, members },
  ];
  const type = annotateType({ ...hostile, layouts }, HOSTILE['struct args']);
  expect(renderAnnotatedType(type, style)).not.toMatch(UNSAFE);
  expect(type.rows.map(({ row, name, levels }) => [row, name, levels?.l1.misses])).toEqual([
    ['type', null, 90],
    ['member', HOSTILE.sx, 60],
    ['member', HOSTILE.sy, 30],
  ]);
});

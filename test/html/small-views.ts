// Stage: test. The views of the smallest program that shares a line, as the command line prints them; and a report of
// any views.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packView } from '../../src/html/embedded-view.js';
import { renderViews } from '../../src/html/html-report.js';
import type { View } from '../../src/views/view.js';
import { dprof, saveTrace, writePairTrace } from '../cli/command-line.js';

export type AnyRow = Record<string, any>;
export type Views = ReadonlyMap<string, View<AnyRow>>;

const NAMES = [
  'data-profile',
  'miss-classification',
  'functions',
  'sharing',
  'evictions',
  'invalidations',
  'unused-bytes',
  'struct-layout',
  'working-set',
  'path-traces',
  'data-flow',
];

export function smallViews(folder: string): Views {
  const profile = join(folder, 'pair.dprofile');
  dprof(
    'replay',
    saveTrace(folder, 'pair.dptrace', writePairTrace(10).finish({ exit: { code: 3 } })),
    '-o',
    profile,
    '--engine',
    'ts',
  );
  const print = (...words: string[]): View<AnyRow> => JSON.parse(dprof(...words, '--format', 'json').stdout);
  return new Map([
    ...NAMES.map((name) => [name, print('report', profile, '--view', name)] as const),
    ['annotated-source', print('annotate', profile)] as const,
  ]);
}

/** Those by type, or source file, in pieces of their own, as dprof html packs them. */
const GROUPED = ['path-traces', 'data-flow', 'struct-layout', 'annotated-source'];

export function writeReport(path: string, views: Views): string {
  writeFileSync(
    path,
    renderViews([...views].map(([key, view]) => packView(key, view, { isByGroup: GROUPED.includes(key) }))),
  );
  return path;
}

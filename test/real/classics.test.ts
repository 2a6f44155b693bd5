// Stage: test. Classics of cache problems, each a page of code: the first row of the text names what a person would
// change, the line, the class and the level that cost most; and so it does not after the fix.

import { readdirSync, readFileSync } from 'node:fs';
import { join, parse, resolve } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { atLength } from '../at-length.js';
import { DPROF, run } from '../cli/command-line.js';
import { outputOf } from '../cli/command-client.js';
import { makeTemporaryFolder } from '../temporary-folder.js';

const SOURCES = resolve(import.meta.dirname, 'classics');
const folder = makeTemporaryFolder('classics');

interface Classic {
  /** How the first row of the data profile begins. */
  readonly named: string;
  /** "L2 conflict": what costs most. */
  readonly most: string;
  /** Only threads: the pair's field or variable. */
  readonly shared?: string;
  /** In `npm test` too. */
  readonly isSample?: boolean;
}

const CLASSICS: Readonly<Record<string, Classic>> = {
  'adi.c': { named: 'double[] u', most: 'L2 conflict' },
  'srad.c': { named: 'float[] image', most: 'L2 conflict' },
  'needleman_wunsch.c': { named: 'int[] items', most: 'L2 conflict' },
  'himeno.c': { named: 'grid', most: 'L1 conflict', isSample: true },
  'stencil3d.c': { named: 'float[] before', most: 'L2 conflict' },
  'stencil27.c': { named: 'double[]', most: 'L2 conflict', isSample: true },
  'linear_regression.c': { named: 'struct regression', most: 'L2 false sh', shared: 'sx', isSample: true },
  'histogram.c': { named: 'struct part', most: 'L2 false sh', shared: 'red' },
  'clustering.c': { named: 'double[] work_mem', most: 'L2 false sh', shared: 'double', isSample: true },
  'cache_scratch.c': { named: 'struct counter', most: 'L2 false sh', shared: 'hits', isSample: true },
  'stl_tree.cpp': { named: 'std::_Rb_tree_node', most: 'L1 capacity' },
  'annealing.cpp': { named: 'element', most: 'L2 capacity' },
};

/** The first row of the table of a view. */
function firstRow(trace: string, view: string): string {
  const lines = outputOf(['report', trace, '--view', view, '--top', '3'], { COLUMNS: '' }).split('\n');
  return lines[lines.findIndex((line) => line.startsWith('──')) + 1];
}

function record(source: string, ...flags: readonly string[]): string {
  const { name, ext } = parse(source);
  const program = join(folder, `${name}${flags.join('')}`);
  const compiler = resolve(DPROF, '..', ext === '.cpp' ? 'dprof-c++' : 'dprof-cc');
  expect(run(compiler, '-O2', '-g', '-pthread', ...flags, join(SOURCES, source), '-o', program).stderr).toBe('');
  expect(run(DPROF, 'record', '-o', `${program}.dptrace`, '--', program).status).toBe(0);
  return `${program}.dptrace`;
}

test('every program has its answer', () => {
  expect(Object.keys(CLASSICS).sort()).toEqual(readdirSync(SOURCES).sort());
});

describe.each(Object.entries(CLASSICS).filter(([, { isSample }]) => isSample || atLength(false, true)))(
  '%s',
  (source, { named, most, shared }) => {
    const finding = readFileSync(join(SOURCES, source), 'utf8')
      .split('\n')
      .findIndex((line) => line.endsWith('// the finding'));
    const site = `${source}:${finding + 1}`;
    let [before, after] = ['', ''];
    beforeAll(() => {
      before = record(source);
      after = record(source, '-DFIXED');
    });

    test('the data profile begins with it', () => {
      const row = firstRow(before, 'data-profile');
      expect(row.startsWith(named), row).toBe(true);
      expect(row).toContain(most);
      expect(row).toContain(site);
    });

    test('the miss classification begins with it', () => {
      const row = firstRow(before, 'miss-classification');
      expect(row.startsWith(named), row).toBe(true);
    });

    test.runIf(shared !== undefined)('sharing begins with it', () => {
      const row = firstRow(before, 'sharing');
      expect(row).toContain('false-sharing');
      expect(row).toContain(shared);
      expect(row).toContain(site);
    });

    test('after the fix it does not', () => {
      const row = firstRow(after, 'data-profile');
      expect(row.startsWith(named) && row.includes(most), row).toBe(false);
    });
  },
);

// CPython passes its own tests of json and dict. Of a program with many small objects the report leads to the cyclic
// collector: it follows the list through all objects' heads, PyGC_Head, once each for several things.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { expectEnginesAgree, expectTotals, replay, textRows } from './findings.js';
import { DPROF, DPROF_CC, isFresh, realFolder, ROOT, run } from './real-program.js';
import { makeTemporaryFolder } from '../temporary-folder.js';

const tree = join(realFolder('python3.11'), 'build');
const python = join(tree, 'python');
const folder = makeTemporaryFolder('cpython');
const trace = join(folder, 'python.dptrace');
let profile = '';

beforeAll(() => {
  if (!isFresh(python)) run(['sh', join(ROOT, 'test/real/build-cpython.sh'), DPROF_CC, tree]);
  const script = join(ROOT, 'test/real/gc_objects.py');
  // Hashes of strings are drawn anew for each run otherwise; and nothing of this machine's packages is imported.
  const said = run([DPROF, 'record', '-o', trace, '--', 'env', 'PYTHONHASHSEED=0', python, '-S', '-s', script]);
  expect(said).toBe('260673 0\n');
  profile = replay(trace, join(folder, 'python.dprofile'));
});

test.each([
  ['as built', []],
  ['recorded', [DPROF, 'record', '-o', 'null', '--']],
])('its own tests of json and dict pass, %s', (_, before) => {
  const [command, ...words] = [...before, python, '-m', 'test', 'test_json', 'test_dict'];
  const { stdout, status } = spawnSync(command, words, { cwd: folder, encoding: 'utf8', maxBuffer: 1 << 28 });
  expect(stdout).toContain('All 2 tests OK.\n');
  expect(status).toBe(0);
});

test('the first rows name PyGC_Head, and gc_list_size among its walks', () => {
  const rows = textRows(profile, 'data-profile').slice(0, 3);
  const head = rows.find((row) => row.startsWith('PyGC_Head ')) ?? '';
  expect(head, rows.join('\n')).toMatch(/ L2 capacity \d+% +gcmodule\.c:637 /);
  const walks = textRows(profile, 'miss-classification', '--by', 'function', '--type', 'PyGC_Head').slice(0, 4);
  expect(walks.map((row) => row.split(' ')[0]).sort()).toEqual([
    'gc_list_size',
    'gc_reset_refs',
    'untrack_dicts',
    'untrack_tuples',
  ]);
  const lines = textRows(profile, 'miss-classification', '--by', 'line', '--function', 'gc_list_size');
  expect(lines[0]).toMatch(/^gcmodule\.c:322 +gc_list_size /);
});

test('numbers add up, and both engines give the same', () => {
  expectTotals(profile);
  expectEnginesAgree(trace, folder, '1M');
});

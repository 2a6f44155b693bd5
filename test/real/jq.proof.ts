// jq passes the checks that it passes without dprof. Its start is a search: each of its own functions is bound to the
// calls in all that follow, so `struct inst` is walked again and again, and does not fit the L1.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { expectEnginesAgree, expectTotals, replay, textRows } from './findings.js';
import { DPROF, DPROF_CC, isFresh, realFolder, ROOT, run } from './real-program.js';
import { makeTemporaryFolder } from '../temporary-folder.js';

const HOME = realFolder('jq');
const folder = makeTemporaryFolder('jq');
const trace = join(folder, 'jq.dptrace');
let profile = '';

function build(compiler: string, name: string): string {
  const tree = join(HOME, name);
  const isThere = compiler === DPROF_CC ? isFresh(join(tree, 'jq')) : existsSync(join(tree, 'jq'));
  if (!isThere) run(['sh', join(ROOT, 'test/real/build-jq.sh'), compiler, tree]);
  return tree;
}

/** What `make check` says of each of its parts. */
function checkParts(tree: string): string[] {
  const { stdout } = spawnSync('make', ['check'], { cwd: tree, encoding: 'utf8', maxBuffer: 1 << 28 });
  return stdout.match(/^(PASS|FAIL|SKIP|ERROR): .*$/gm) ?? [];
}

beforeAll(() => {
  const program = join(build(DPROF_CC, 'instrumented'), 'jq');
  expect(run([DPROF, 'record', '-o', trace, '--', program, '-nc', '[range(5) | select(. % 2 == 1)]'])).toBe('[1,3]\n');
  profile = replay(trace, join(folder, 'jq.dprofile'));
});

test('its own checks end as they do without dprof', () => {
  const parts = checkParts(build('clang-19', 'plain'));
  expect(parts).toHaveLength(7);
  expect(parts).toContain('PASS: tests/jqtest');
  expect(checkParts(build(DPROF_CC, 'instrumented'))).toEqual(parts);
});

test('the first rows name struct inst, and the walks of binding', () => {
  const [first] = textRows(profile, 'data-profile');
  expect(first).toMatch(/^struct inst .* L1 capacity \d+% +compile\.c:316 /);
  const [inst, boundBy, next] = textRows(profile, 'miss-classification');
  expect(inst).toMatch(/^struct inst /);
  expect([boundBy, next].map((row) => row.trim().split(' ')[0])).toEqual(['bound_by', 'next']);
  const functions = textRows(profile, 'functions').slice(0, 2);
  expect(functions.map((row) => row.split(' ')[0])).toEqual(['block_count_refs', 'block_bind_subblock']);
});

test('numbers add up, and both engines give the same', () => {
  expectTotals(profile);
  expectEnginesAgree(trace, folder, '1M');
});

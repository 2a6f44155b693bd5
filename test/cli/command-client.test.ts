// Stage: test. What a command prints and how it ends is the same in the process that serves tests as from bin/dprof.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { makeTemporaryFolder } from '../temporary-folder.js';
import { runDprof, startDprof } from './command-client.js';
import { saveTrace, writePairTrace } from './command-line.js';

const folder = makeTemporaryFolder('served');
const trace = join(folder, 'pair.dptrace');
const profile = join(folder, 'pair.dprofile');

beforeAll(() => {
  saveTrace(folder, 'pair.dptrace', writePairTrace().finish({ exit: { code: 0 } }));
  expect(runDprof(['replay', trace, '-o', profile])).toMatchObject({ status: 0 });
  writeFileSync(join(folder, 'none.txt'), 'nothing\n');
});

test.each([
  [['annotate', trace]],
  [['diff', trace, profile]],
  [['dump', trace, '--references']],
  [['export', trace, '--to', 'callgrind', '-o', '/dev/stdout']],
  [['html', trace, '-o', '/dev/stdout']],
  [['import', join(folder, 'none.txt'), '-o', '/dev/null']],
  [['machines']],
  [['merge', profile, profile, '-o', '/dev/stdout']],
  [['replay', trace, '-o', '/dev/stdout']],
  [['report', trace, '--view', 'all']],
  [['report', join(folder, 'none.dptrace')]],
  [['sweep', trace, '--l1', '4K..8K']],
  [['validate', trace, trace]],
  [['help', 'report']],
  [['--version']],
])('dprof %j', (words) => {
  const environment = { ...process.env, COLUMNS: '100' };
  expect(runDprof(words, environment)).toEqual(startDprof(words, environment));
});

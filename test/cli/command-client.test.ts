// Stage: test. What a command prints and how it ends is the same in the process that serves tests as from bin/dprof.

import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { makeTemporaryFolder } from '../temporary-folder.js';
import { runDprof, startDprof } from './command-client.js';
import { saveTrace, writePairTrace } from './command-line.js';

const folder = makeTemporaryFolder('served');
const trace = join(folder, 'pair.dptrace');
const KERNEL = resolve(import.meta.dirname, '../../examples/kernels/variables.ts');
const profile = join(folder, 'pair.dprofile');

beforeAll(() => {
  saveTrace(folder, 'pair.dptrace', writePairTrace().finish({ exit: { code: 0 } }));
  expect(runDprof(['replay', trace, '-o', profile])).toMatchObject({ status: 0 });
  writeFileSync(join(folder, 'none.txt'), 'nothing\n');
});

test.each([
  [['advise', trace]],
  [['annotate', trace]],
  [['diff', trace, profile]],
  [['dump', trace, '--references']],
  [['export', trace, '--to', 'callgrind', '-o', '/dev/stdout']],
  [['html', trace, '-o', '/dev/stdout']],
  [['import', join(folder, 'none.txt'), '-o', '/dev/null']],
  [['kernel', KERNEL, trace]],
  [['kernel', join(folder, 'none.txt'), trace]],
  [['machines']],
  [['merge', profile, profile, '-o', '/dev/stdout']],
  [['replay', trace, '-o', '/dev/stdout']],
  [['report', trace, '--view', 'all']],
  [['report', join(folder, 'none.dptrace')]],
  [['sql', trace, 'select type, count(*) as n from refs group by all']],
  [['sql', trace, 'selec 1']],
  [['stream', trace, '--columns', 'thread,field']],
  [['sweep', trace, '--l1', '4K..8K']],
  [['validate', trace, trace]],
  [['what-if', trace, '--pad', 'struct pair=+48']],
  [['what-if', trace, '--pad', 'struct pear=+48']],
  [['help', 'report']],
  [['--version']],
  [['record', '-o', join(folder, 'none.dptrace'), '--', 'true']],
  [['record', '-o', '/sys/none.dptrace', '--', './none']],
  [['record', '--quiet', '-o', join(folder, 'none.dptrace'), '--', 'sh', '-c', 'kill -9 $$']],
])('dprof %j', (words) => {
  const environment = { ...process.env, COLUMNS: '100' };
  expect(runDprof(words, environment)).toEqual(startDprof(words, environment));
});

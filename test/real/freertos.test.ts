// Stage: test. What examples/freertos says of bad input, before anything is fetched.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeTemporaryFolder } from '../temporary-folder.js';
import { ROOT } from './real-program.js';

const folder = makeTemporaryFolder('freertos');

function sh(script: string, words: readonly string[], environment: NodeJS.ProcessEnv = {}): [number | null, string] {
  const { status, stderr } = spawnSync('sh', [join(ROOT, 'examples/freertos', script), ...words], {
    encoding: 'utf8',
    env: { ...process.env, DPROF_FREERTOS_BUILD: join(folder, 'build'), ...environment },
  });
  return [status, stderr];
}

test.each<[string, string[], NodeJS.ProcessEnv, RegExp]>([
  ['an unknown workload', ['udp'], {}, /^run\.sh: no workload udp\nhint: messages, .+\n$/],
  [
    'a count that is none',
    [],
    { DPROF_FREERTOS_COUNT: '1k' },
    /^run\.sh: DPROF_FREERTOS_COUNT=1k is not a number\nhint: .+\n$/,
  ],
])('%s is refused', (_, words, environment, said) => {
  const [status, stderr] = sh('run.sh', words, environment);
  expect(stderr).toMatch(said);
  expect(status).toBe(2);
});

test('a port in which a change does not apply is refused', () => {
  const port = join(folder, 'port');
  mkdirSync(port);
  writeFileSync(join(port, 'port.c'), '    pthread_create( &hTimerTickThread, NULL, prvTimerTickHandler, NULL );\n');
  const [status, stderr] = sh('changes.sh', [port]);
  expect(stderr).toMatch(
    /^run\.sh: port\.c is not as it was in FreeRTOS 11\.2\.0: a change does not apply\nhint: .+\n$/,
  );
  expect(status).toBe(1);
});

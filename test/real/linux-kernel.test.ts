// Stage: test. What examples/linux-kernel says of bad input, without a kernel.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { makeTemporaryFolder } from '../temporary-folder.js';
import { ROOT, run } from './real-program.js';

const EXAMPLE = join(ROOT, 'examples/linux-kernel');
const folder = makeTemporaryFolder('linux-kernel');

function sh(script: string, words: readonly string[], environment: NodeJS.ProcessEnv = {}): [number | null, string] {
  const { status, stderr } = spawnSync('sh', [join(EXAMPLE, script), ...words], {
    encoding: 'utf8',
    env: { ...process.env, DPROF_LINUX_BUILD: join(folder, 'build'), ...environment },
  });
  return [status, stderr];
}

test.each<[string, string[], NodeJS.ProcessEnv, RegExp]>([
  ['an unknown version', [], { DPROF_LINUX: '5.10' }, /^run\.sh: Linux 5\.10 is not known here\nhint: .+\n$/],
  ['an unknown workload', ['tcp'], {}, /^run\.sh: no workload tcp\nhint: udp, .+\n$/],
  [
    'a count that is none',
    [],
    { DPROF_LINUX_COUNT: '1k' },
    /^run\.sh: DPROF_LINUX_COUNT=1k is not a number\nhint: .+\n$/,
  ],
  ...['many', '0', '-16', '4097', '100000000000000000000'].map(
    (backlog): [string, string[], NodeJS.ProcessEnv, RegExp] => [
      `a backlog of ${backlog}`,
      ['queue'],
      { DPROF_LINUX_BACKLOG: backlog },
      RegExp(`^run\\.sh: DPROF_LINUX_BACKLOG=${backlog} is not a number from 1 to 4096\nhint: .+\n$`),
    ],
  ),
])('%s is refused before anything is made', (_, words, environment, said) => {
  const [status, stderr] = sh('run.sh', words, environment);
  expect(stderr).toMatch(said);
  expect(status).toBe(2);
});

const DONE = 'guest: 1000 of 1000 datagrams came back';

test.each<[string, string, string, number, RegExp]>([
  ['as it should', `${DONE}\nreboot: Power down`, '0', 0, /^$/],
  [
    'by a panic',
    `${DONE}\nKernel panic - not syncing: Attempted to kill init! exitcode=0x00000100\nCPU: 0`,
    '134',
    134,
    /^run\.sh: the kernel panicked: Attempted to kill init! exitcode=0x\d+\nhint: .*the trace has all up to there\n$/,
  ],
  [
    'without ptrace',
    'Checking that ptrace can change system call numbers...check_ptrace : ptrace failed, errno = 1',
    '1',
    1,
    /^run\.sh: the kernel could not trace its guest: .*\nhint: allow ptrace: .+\n$/,
  ],
  ['by a signal', 'Core dump limits :', '139', 139, /^run\.sh: the kernel ended with status 139: Core dump limits :\n/],
  ['after its requests', 'guest: 1000 of 1000 requests were answered', '0', 0, /^$/],
  [
    'with datagrams lost',
    'guest: 999 of 1000 datagrams came back',
    '0',
    1,
    /^run\.sh: the guest did not do its work: guest: 999 of 1000 datagrams came back\n/,
  ],
])('a boot that ends %s', (_, log, ended, expected, said) => {
  const file = join(folder, 'boot.log');
  writeFileSync(file, `${log}\n`);
  const [status, stderr] = sh('explain-end.sh', [file, ended, '1000']);
  expect(stderr).toMatch(said);
  expect(status).toBe(expected);
});

test('ptrace that is refused is said before anything is compiled', () => {
  const launcher = join(folder, 'without-ptrace');
  run(['clang-19', join(ROOT, 'test/real/programs/without-ptrace.c'), '-o', launcher]);
  const { status, stderr } = spawnSync(launcher, ['sh', join(EXAMPLE, 'check-host.sh')], { encoding: 'utf8' });
  expect(stderr).toMatch(/^run\.sh: ptrace is refused here\nhint: allow it: no seccomp filter .+\n$/);
  expect(status).toBe(1);
});

test('a source in which a change does not apply is refused', () => {
  const source = join(folder, 'source');
  for (const [file, text] of [
    ['arch/um/os-Linux/util.c', 'return getrandom(buf, len, flags);'],
    ['drivers/char/random.c', 'blake2s_update(&input_pool.hash, buffer, len);'],
  ] as const) {
    mkdirSync(join(source, dirname(file)), { recursive: true });
    writeFileSync(join(source, file), `\t${text}\n`);
  }
  const [status, stderr] = sh('changes.sh', [source]);
  expect(stderr).toMatch(
    /^run\.sh: drivers\/char\/random\.c is not as it was in Linux 6\.1: a change does not apply\nhint: .+\n$/,
  );
  expect(status).toBe(1);
  expect(readFileSync(join(source, 'arch/um/os-Linux/util.c'), 'utf8')).toContain('memset(buf, 0x5a, len);');
});

test.each<[string, (waiting: string, home: string) => string[], RegExp]>([
  ['of which one does not start', () => ['false'], /^calendar: server: did not start: see its log\n$/],
  [
    'that both wait for ever',
    (waiting, home) => [waiting, home],
    /^calendar: both kernels wait, and nothing will ever come\n$/,
  ],
])('two kernels %s', (_, command, said) => {
  const [calendar, waiting] = [join(folder, 'calendar'), join(folder, 'waiting-kernel')];
  run(['clang-19', join(EXAMPLE, 'calendar.c'), '-o', calendar]);
  run(['clang-19', join(ROOT, 'test/real/programs/waiting-kernel.c'), '-o', waiting]);
  const { status, stderr } = spawnSync(calendar, [folder, ...command(waiting, folder)], { encoding: 'utf8' });
  expect(stderr).toMatch(said);
  expect(status).toBe(1);
});

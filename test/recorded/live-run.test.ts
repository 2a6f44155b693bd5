// Stage: test. `dprof run` replays while the program runs. Whatever the program does, the report is the one that its
// trace, kept beside, gives.
import { execFile, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, watch } from 'node:fs';
import { constants } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { atLength, IS_AT_LENGTH } from '../at-length.js';
import { mayGrow } from '../../src/cli/may-grow.js';
import { type Outcome, runDprof } from '../cli/command-client.js';
import { build, FOLDER, ROOT } from './recorded.js';

const DPROF = join(ROOT, 'bin/dprof');
let program: string;
let plugin: string;
let alone: string;
let threaded: string;

beforeAll(() => {
  program = build('live.c', ['-O1', '-g']);
  alone = build('live-alone.c', ['-O1', '-g']);
  threaded = build('live-threads.c', ['-O1', '-g']);
  plugin = build('live-plugin.c', ['-O1', '-g', '-shared', '-fPIC']);
});

interface Report {
  readonly ended: string;
  readonly truncated: boolean;
  readonly threads: number;
  readonly totals: { readonly references: number };
  readonly rows: readonly { readonly type: string }[];
}

let kept = 0;
const newTrace = (): string => join(FOLDER, `kept-${kept++}.dptrace`);

function run(
  flags: readonly string[],
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Outcome {
  const { status, stdout, stderr } = spawnSync(DPROF, ['run', '--format', 'json', ...flags, '--', program, ...words], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    env: { ...process.env, ...environment },
  });
  return { status, stdout, stderr };
}

function reportOf(trace: string, ...flags: string[]): string {
  return runDprof(['report', '--format', 'json', ...flags, trace]).stdout;
}

/** The same for tests that run side by side: they must not keep each other from looking. */
async function reportAside(trace: string, ...flags: string[]): Promise<string> {
  const words = ['report', '--format', 'json', ...flags, trace];
  return (await promisify(execFile)(DPROF, words, { maxBuffer: 1 << 28 })).stdout;
}

const parse = (text: string): Report => JSON.parse(text) as Report;

describeEach([
  ['one thread', ['alone'], 7, 'exited with status 7'],
  ['one thread that pauses', ['slowly', '500'], 7, 'exited with status 7'],
  ['a crash', ['crash'], 128 + constants.signals.SIGSEGV, 'killed by SIGSEGV (signal 11)'],
  ['threads and a lock', ['threads', '2000'], 7, 'exited with status 7'],
  ['threads that sleep', ['sleepers', '2000'], 7, 'exited with status 7'],
]);

function describeEach(cases: readonly (readonly [string, readonly string[], number, string])[]): void {
  test.each(cases)('%s: the report of the run is the report of its trace', (_, words, status, ended) => {
    const trace = newTrace();
    const live = run(['--keep', trace, '--view', 'address-set'], words);
    expect(live.stderr).toBe('');
    expect([live.status, parse(live.stdout).ended, parse(live.stdout).truncated]).toEqual([status, ended, false]);
    expect(live.stdout).toBe(reportOf(trace, '--view', 'address-set'));
  });
}

test('a module that is loaded late: the replay begins anew with it, and the report is the same', () => {
  const trace = newTrace();
  const live = run(['--keep', trace], ['plugin', '20000', plugin]);
  expect([live.status, live.stderr]).toEqual([7, '']);
  expect(live.stdout).toBe(reportOf(trace));
  expect(parse(live.stdout).rows.map((row) => row.type)).toContain('struct wheel');
});

type Flagged = [name: string, flags: string[], rounds?: string];
const FLAGS: Flagged[] = [
  ['the TypeScript engine', ['--engine', 'ts'], atLength('10', '300')],
  ['several machines', ['--machine', 'zen3', '--machine', 'paper']],
  ['several schedules', ['--schedules', '3']],
  ['one worker', ['--workers', '1']],
  ['what the kernel stored', ['--kernel-stores']],
];
const MORE_FLAGS: Flagged[] = [
  ['several cores', ['--cores', '4']],
  ['several sockets', ['--machine', 'paper']],
  ['prefetchers, a TLB and another policy', ['--machine', 'zen3']],
  ['a random order', ['--schedule', 'random:5']],
  ['the recorded order', ['--schedule', 'recorded']],
];
test.each<Flagged>(atLength(FLAGS, [...FLAGS, ...MORE_FLAGS]))(
  '%s: the report of the run is the report of its trace',
  (_, flags, rounds = '3000') => {
    const trace = newTrace();
    expect(run(['--keep', trace, ...flags], ['alone', rounds]).stdout).toBe(reportOf(trace, ...flags));
  },
);

test.each([
  ['a child', ['fork', '100'], 7, 2],
  ['another program in its place', ['exec'], 7, 2],
])('%s: the report is of all processes together, as of their traces', (_, words, status, processes) => {
  const trace = newTrace();
  const live = run(['--keep', trace], words);
  const traces = readdirSync(FOLDER)
    .map((name) => join(FOLDER, name))
    .filter((path) => path.startsWith(trace));
  const { stdout } = runDprof(['report', '--format', 'json', ...traces]);
  expect([live.status, traces.length, (JSON.parse(stdout) as { processes: unknown[] }).processes.length]).toEqual([
    status,
    processes,
    processes,
  ]);
  expect(live.stdout).toBe(stdout);
});

test(
  'a program that is not instrumented and begins two that are: the report is of those, and nothing is left in ' +
    'TMPDIR',
  () => {
    const folder = join(FOLDER, 'folder-of-others');
    mkdirSync(folder);
    const { status, stdout, stderr } = spawnSync(
      DPROF,
      ['run', '--format', 'json', '--', 'sh', '-c', `${program} alone 100; ${program} alone 200; exit 3`],
      { encoding: 'utf8', maxBuffer: 1 << 28, env: { ...process.env, TMPDIR: folder } },
    );
    expect([status, stderr, (JSON.parse(stdout) as { processes: unknown[] }).processes.length]).toEqual([3, '', 2]);
    expect(readdirSync(folder)).toEqual([]);
  },
);

const MEETINGS = [
  ['a mutex and a condition', ['turns', '200'], 7],
  ['a pipeline, whose memory one thread allocates and another frees', ['queue', '600'], 7],
  ['barriers', ['barrier', '300'], 7],
  ['waits that run out', ['timeouts', '60'], 7],
  ['atomics that are spun on', ['spin', '150'], 7],
  ['long naps', ['naps', '10'], 7],
  ['handlers in the middle of waits', ['handler', '2'], 7],
  ['a crash of one, while the others sleep', ['crash', '500'], 128 + constants.signals.SIGSEGV],
] as const;
const MORE_MEETINGS = [
  ['semaphores', ['semaphores', '600'], 7],
  ['a pipe', ['pipe', '600'], 7],
  ['readers and writers', ['readers', '300'], 7],
  ['threads in waves, more than few', ['waves', '20'], 7],
] as const;
/** One, and the least; the sample has each with every other program. */
const BUFFERS: readonly (readonly string[])[] = [[], ['--buffer', '4K', '--cores', '2']];

test.each(
  [...MEETINGS, ...(IS_AT_LENGTH ? MORE_MEETINGS : [])].flatMap((meeting, at) =>
    atLength([BUFFERS[at % 2]], BUFFERS).map((flags) => [...meeting, flags] as const),
  ),
)('threads, %s: the report of the run is the report of its trace (%j, status %i, %j)', (_, words, status, flags) => {
  const trace = newTrace();
  const live = spawnSync(DPROF, ['run', '--format', 'json', '--keep', trace, ...flags, '--', threaded, ...words], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  expect([live.status, live.stderr]).toEqual([status, '']);
  expect(live.stdout).toBe(reportOf(trace, ...flags.slice(2)));
});

test.concurrent(
  'threads are replayed while they run: a report so far has what they did, and the end is not changed by ' + 'it',
  async () => {
    const trace = newTrace();
    let asked = false;
    const { status, stdout, stderr } = await start(
      ['--keep', trace, '--progress'],
      ['naps', '60'],
      (group, errors) => {
        if (asked || !/dprof: live-threads\.c-\d+: [\d,]+ references/.test(errors)) return;
        asked = true;
        process.kill(group, 'SIGUSR1');
      },
      threaded,
    );
    const soFar = parse(stderr.slice(stderr.indexOf('{'), stderr.indexOf('\n}') + 2));
    const whole = parse(stdout);
    expect([status, soFar.ended, soFar.threads, whole.threads]).toEqual([
      7,
      'still running: the report is of the run so far',
      4,
      4,
    ]);
    expect(soFar.totals.references).toBeGreaterThan(1000);
    expect(soFar.totals.references).toBeLessThan(whole.totals.references);
    expect(stdout).toBe(await reportAside(trace));
  },
);

test('no file is made: where none can be, all is as always', () => {
  const folder = join(FOLDER, 'empty-folder');
  mkdirSync(folder);
  const before = readdirSync(FOLDER).toSorted();
  const { stdout, stderr } = run([], ['alone'], { TMPDIR: '/nowhere' });
  expect([stderr, parse(stdout).truncated]).toEqual(['', false]);
  expect(readdirSync(FOLDER).toSorted()).toEqual(before);
});

test('one thread for good: nothing is kept, so the smallest buffer does without a file', () => {
  const trace = newTrace();
  const flags = ['--keep', trace, '--buffer', '4K', '--format', 'json'];
  const live = spawnSync(DPROF, ['run', ...flags, '--', alone], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    env: { ...process.env, TMPDIR: '/nowhere' },
  });
  expect([live.status, live.stderr]).toEqual([7, '']);
  expect(readFileSync(trace).length).toBeGreaterThan(1 << 20);
  expect(live.stdout).toBe(reportOf(trace));
});

test('one thread for good, and no trace kept: its raw words give the report of its trace', () => {
  const trace = newTrace();
  runDprof(['record', '--output', trace, '--', alone]);
  const live = spawnSync(DPROF, ['run', '--format', 'json', '--', alone], { encoding: 'utf8', maxBuffer: 1 << 28 });
  expect([live.status, live.stderr]).toEqual([7, '']);
  expect(live.stdout).toBe(reportOf(trace));
});

test('who may start a thread or load a module, and who can not', () => {
  const child = spawn('/bin/sleep', ['10']);
  try {
    const asked = [mayGrow(child.pid!, 1), mayGrow(child.pid!, 0), mayGrow(process.pid, 1), mayGrow(0, 1)];
    expect(asked).toEqual([false, true, true, true]);
  } finally {
    child.kill();
  }
});

test(
  'a buffer that is far too small: the program waits, what is kept goes to a file without a name, the report is ' +
    'the same',
  () => {
    const trace = newTrace();
    const live = run(['--keep', trace, '--buffer', '64K'], ['alone', '100000']);
    expect(readFileSync(trace).length).toBeGreaterThan(4 * 65536);
    expect(live.stdout).toBe(reportOf(trace));
  },
);

test('a buffer that is too small for several threads: likewise', () => {
  const trace = newTrace();
  expect(run(['--keep', trace, '--buffer', '4K'], ['threads', '2000']).stdout).toBe(reportOf(trace));
});

test(
  'a thread that sleeps long while another fills the buffer many times over: nobody waits for it, and the report ' +
    'is the same',
  () => {
    const trace = newTrace();
    const live = run(['--keep', trace, '--buffer', '16K'], ['sleepers', '30000', '300']);
    expect([live.status, live.stderr]).toEqual([7, '']);
    expect(readFileSync(trace).length).toBeGreaterThan(8 * 16384);
    expect(live.stdout).toBe(reportOf(trace));
  },
);

test('what does not fit, and no folder for it: one line and a hint, and the program runs to its end', () => {
  const { status, stdout, stderr } = run(['--buffer', '64K'], ['alone', '2000000'], { TMPDIR: '/nowhere' });
  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toContain('cannot make a file in /nowhere for what does not fit into the buffer');
});

test('--buffer takes a size', () => {
  expect(run(['--buffer', 'much'], [])).toMatchObject({ status: 2, stdout: '' });
});

/** Started as the leader of a group, as a shell does; `when` sees what it prints on standard error so far. */
function start(
  flags: readonly string[],
  words: readonly string[],
  when: (group: number, errors: string) => unknown,
  started = program,
): Promise<Outcome & { readonly signal: string | null }> {
  const child = spawn(DPROF, ['run', '--format', 'json', ...flags, '--', started, ...words], {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const texts = { stdout: '', stderr: '' };
  child.stdout.on('data', (part: Buffer) => (texts.stdout += part.toString()));
  child.stderr.on('data', (part: Buffer) => when(child.pid!, (texts.stderr += part.toString())));
  return new Promise((resolve) => child.on('close', (status, signal) => resolve({ status, signal, ...texts })));
}

const PROGRESS = /dprof: live\.c-\d+: ([\d,]+) references, [\d.]+ million\/s, \d+ s; L1 misses: struct cell [\d.]+%/;

test.concurrent('SIGUSR1 prints a report so far, and the run goes on to the same report', async () => {
  const trace = newTrace();
  let asked = false;
  const { status, stdout, stderr } = await start(
    ['--keep', trace, '--progress'],
    ['slowly', '1000', '90'],
    (group, errors) => {
      if (asked || !PROGRESS.test(errors)) return;
      asked = true;
      process.kill(group, 'SIGUSR1'); // the leader alone
    },
  );
  const soFar = parse(stderr.slice(stderr.indexOf('{'), stderr.indexOf('\n}') + 2));
  const whole = parse(stdout);
  expect([soFar.ended, soFar.truncated]).toEqual(['still running: the report is of the run so far', true]);
  expect(soFar.totals.references).toBeGreaterThan(0);
  expect(soFar.totals.references).toBeLessThan(whole.totals.references);
  expect(soFar.rows.map((row) => row.type)).toContain('struct cell');
  expect(status).toBe(7);
  expect(stdout).toBe(await reportAside(trace));
});

test.concurrent('SIGUSR1 while the run is only recorded: the report is of what there is so far', async () => {
  const trace = newTrace();
  let asked = false;
  const { stdout, stderr } = await start(
    ['--keep', trace, '--progress', '--engine', 'ts'],
    ['slowly', '4', '60'],
    (group, errors) => {
      if (asked || !errors.includes('recording, to be replayed at its end')) return;
      asked = true;
      process.kill(group, 'SIGUSR1');
    },
  );
  const soFar = parse(stderr.slice(stderr.indexOf('{'), stderr.indexOf('\n}') + 2));
  expect([soFar.ended, soFar.truncated]).toEqual(['still running: the report is of the run so far', true]);
  expect(soFar.totals.references).toBeLessThan(parse(stdout).totals.references);
  expect(stdout).toBe(await reportAside(trace, '--engine', 'ts'));
});

test.concurrent(
  'SIGUSR1 while threads sleep: the report is of what the others did, and the end is not changed by ' + 'that',
  async () => {
    const trace = newTrace();
    let asked = false;
    const { status, stdout, stderr } = await start(
      ['--keep', trace, '--progress'],
      ['sleepers', '20000', '700'],
      (group, errors) => {
        if (asked || !PROGRESS.test(errors)) return;
        asked = true;
        process.kill(group, 'SIGUSR1');
      },
    );
    const soFar = parse(stderr.slice(stderr.indexOf('{'), stderr.indexOf('\n}') + 2));
    expect([status, soFar.ended, soFar.truncated]).toEqual([7, 'still running: the report is of the run so far', true]);
    expect(soFar.totals.references).toBeGreaterThan(0);
    expect(soFar.totals.references).toBeLessThan(parse(stdout).totals.references);
    expect(stdout).toBe(await reportAside(trace));
  },
);

test.concurrent('Ctrl-C ends the program, and the report so far says so', async () => {
  let asked = false;
  const { status, stdout } = await start(['--progress'], ['slowly', '1000', '90'], (group, errors) => {
    if (asked || !PROGRESS.test(errors)) return;
    asked = true;
    process.kill(-group, 'SIGINT'); // as a terminal does
  });
  const { ended, truncated, totals } = parse(stdout);
  expect([status, ended, truncated]).toEqual([
    128 + constants.signals.SIGINT,
    'killed by SIGINT (signal 2); interrupted',
    true,
  ]);
  expect(totals.references).toBeGreaterThan(0);
});

test.concurrent('a second Ctrl-C ends the replay with the report of what was replayed until then', async () => {
  let interrupts = 0;
  const { signal, stdout, stderr } = await start(['--progress'], ['stubborn', '1000'], (group, errors) => {
    if (interrupts > 0 || !PROGRESS.test(errors)) return;
    interrupts = 1;
    process.kill(-group, 'SIGINT');
    setTimeout(() => process.kill(-group, 'SIGINT'), 200);
  });
  const { ended, truncated, totals, rows } = parse(stdout);
  expect([signal, ended, truncated]).toEqual([
    'SIGINT',
    'interrupted: the report is of what was replayed until then',
    true,
  ]);
  expect(totals.references).toBeGreaterThan(0);
  expect(rows.map((row) => row.type)).toContain('struct cell');
  expect(stderr).toMatch(/dprof: interrupted; still to be replayed: [^\n]+\. Again: the report so far\n/);
});

test.concurrent('a second Ctrl-C while the run is only recorded: there is nothing to report', async () => {
  let interrupts = 0;
  const { signal, stdout, stderr } = await start(
    ['--progress', '--engine', 'ts'],
    ['stubborn', '1000'],
    (group, errors) => {
      if (interrupts > 0 || !errors.includes('recording, to be replayed at its end')) return;
      interrupts = 1;
      process.kill(-group, 'SIGINT');
      setTimeout(() => process.kill(-group, 'SIGINT'), 200);
    },
  );
  expect([signal, stdout]).toEqual(['SIGINT', '']);
  expect(stderr).toMatch(/still to be replayed: all of [\d.,]+ \w+ recorded\. Again: the report so far\n/);
  expect(stderr).toMatch(/dprof: nothing was replayed yet\n$/);
});

test.concurrent('Ctrl-C when the program has ended: the report is of a whole run', async () => {
  const trace = newTrace();
  let leader = 0;
  const watcher = watch(FOLDER, (_, name) => {
    if (name !== basename(trace) || leader === 0 || !existsSync(trace)) return;
    watcher.close();
    const group = leader;
    // The recorder has written everything, and ends; the replay takes seconds.
    setTimeout(() => process.kill(-group, 'SIGINT'), 300);
  });
  const { status, stdout, stderr } = await start(
    ['--keep', trace, '--progress', '--engine', 'ts'],
    ['slowly', '50', '20'],
    (group) => (leader = group),
  );
  expect(status).toBe(7);
  expect(parse(stdout).truncated).toBe(false);
  expect(stdout).toBe(await reportAside(trace));
  expect(stderr).toContain('dprof: interrupted; still to be replayed: ');
});

/** The recorder that the run has started, and the program that the recorder has. */
function childOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ')[0]);
}

test.concurrent('a program that is killed: all that it had logged is in the report', async () => {
  const trace = newTrace();
  let asked = false;
  const { status, stdout } = await start(['--keep', trace, '--progress'], ['slowly', '1000', '90'], (group, errors) => {
    if (asked || !PROGRESS.test(errors)) return;
    asked = true;
    process.kill(childOf(childOf(group)), 'SIGKILL');
  });
  expect([status, parse(stdout).ended]).toEqual([137, 'killed by SIGKILL (signal 9)']);
  expect(stdout).toBe(await reportAside(trace));
});

test.concurrent('a recorder that is killed: the program runs on, the report is of what had come', async () => {
  let asked = false;
  const { status, stdout, stderr } = await start(['--progress'], ['slowly', '1000', '90'], (group, errors) => {
    if (asked || !PROGRESS.test(errors)) return;
    asked = true;
    process.kill(childOf(group), 'SIGKILL');
  });
  expect([status, parse(stdout).truncated]).toEqual([137, true]);
  expect(parse(stdout).ended).toMatch(/^how it ended was not recorded: its recorder was killed after \d+ bytes$/);
  expect(stderr).toContain('dprof: the recorder was killed (SIGKILL)\nhint: the report is of what it had passed on\n');
});

test('a program that is not instrumented: the recorder says so, and there is no report', () => {
  const { status, stdout, stderr } = spawnSync(DPROF, ['run', '--', '/bin/true'], { encoding: 'utf8' });
  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toContain('dprof: /bin/true is not instrumented: nothing was recorded\n');
});

test('the program has none of the descriptors of the trace', () => {
  const { stdout } = spawnSync(DPROF, ['run', '--', '/bin/ls', '-l', '/proc/self/fd'], { encoding: 'utf8' });
  expect(stdout).not.toContain('dprof-live');
});

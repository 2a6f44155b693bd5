// Refusals of the recorder: one clear line, a hint, the right exit status, and nothing lost that was recorded before.

import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readChunks, readPlain } from './plain-reader.js';
import { recorder, sessionsOf, Workbench } from './workbench.js';

const bench = new Workbench();
let program: string;
beforeAll(() => {
  program = bench.compile('ends.c');
});
afterAll(() => bench.clean());

/** The recorder has written events of the program. */
function isWriting(trace: string): boolean {
  const path = bench.path(`${trace}.incomplete`);
  return existsSync(path) && statSync(path).size > 4096 && readChunks(path).chunks.length >= 3;
}

test('an uninstrumented program: status 1 although it returned 0, and no file', () => {
  const { status, stderr } = bench.record('true.dptrace', ['/bin/true']);
  expect(status).toBe(1);
  expect(stderr).toBe(
    'dprof: /bin/true is not instrumented: nothing was recorded\nhint: build it with dprof-cc or dprof-c++\n',
  );
  expect(bench.files('true')).toEqual([]);
});

test('a directory that is not there: nothing is started', () => {
  const { status, stderr } = bench.run([
    recorder,
    '-o',
    bench.path('nowhere/x.dptrace'),
    '--',
    'touch',
    bench.path('started'),
  ]);
  expect(status).toBe(1);
  expect(stderr).toBe(
    `dprof: can not write ${bench.path('nowhere/x.dptrace')}: No such file or directory\nhint: choose another ` +
      `place with -o\n`,
  );
  expect(bench.files('started')).toEqual([]);
});

test('a path that may not be written: nothing is started', () => {
  mkdirSync(bench.path('taken.dptrace.incomplete'));
  const { status, stderr } = bench.record('taken.dptrace', ['touch', bench.path('started')]);
  expect(status).toBe(1);
  expect(stderr).toBe(
    `dprof: can not write ${bench.path('taken.dptrace')}: Is a directory\nhint: choose another place with -o\n`,
  );
  expect(bench.files('started')).toEqual([]);
});

test('wrong usage is status 2, as every dprof command', () => {
  expect(bench.run([recorder])).toMatchObject({
    status: 2,
    stderr:
      'dprof: no program to record\nhint: dprof-record [-o WHERE] [--sink OBJECT] [--keep TRACE] [--others ' +
      'FOLDER] [--drop] [--allow-remote] [--aslr] [--quiet] -- PROGRAM [ARGUMENTS]\n',
  });
  expect(bench.run([recorder, '--fast', '--', program]).status).toBe(2);
});

test('no such program is 127, no executable 126, as in a shell', () => {
  writeFileSync(bench.path('text'), 'text');
  chmodSync(bench.path('text'), 0o644);
  expect(bench.record('none.dptrace', ['./no-such-program'])).toMatchObject({
    status: 127,
    stderr:
      'dprof: can not run ./no-such-program: No such file or directory\nhint: give its path, as in ./no-such-program\n',
  });
  expect(bench.record('none.dptrace', ['./text']).status).toBe(126);
  expect(bench.files('none')).toEqual([]);
});

test('a full disk: what was written stays, the program runs on, status 1', () => {
  const disk = bench.path('disk');
  mkdirSync(disk);
  const script = `mount -t tmpfs -o size=1m tmpfs ${disk} || exit 99
    ${recorder} -o ${disk}/full.dptrace -- ${bench.compile('noise.c')}; echo status $?; ls ${disk}; cp ${disk}/full.dptrace ${bench.path('kept.dptrace')}; umount ${disk}`;
  const { stdout, stderr } = bench.run(['unshare', '--mount', '--map-root-user', 'sh', '-c', script]);
  expect(stdout).toBe('2000000 steps\nstatus 1\nfull.dptrace\n');
  expect(stderr).toBe(
    `dprof: ${disk}/full.dptrace: No space left on device; recording stopped, what was written is kept\nhint: ` +
      `make room, or choose another place with -o\n`,
  );
  const plain = readPlain(bench.path('kept.dptrace'));
  expect(plain.end).toMatchObject({
    exit: { code: 0 },
    stopped: 'the trace could not be written: No space left on device',
  });
  expect(plain.chunks.map((chunk) => chunk.kind).slice(0, 3)).toEqual([1, 2, 3]);
});

test('text into a pipe whose reader ends: the hint names the reader, the program runs on', () => {
  const piped = `{ "$0" -o text -- "$1" | head -1; } 2>&1; echo "status \${PIPESTATUS[0]}"`;
  const { stdout } = bench.run(['bash', '-c', piped, recorder, bench.compile('noise.c')]);
  expect(stdout.split('\n').slice(1)).toEqual([
    'dprof: standard output: Broken pipe; recording stopped, what was written is kept',
    'hint: whatever reads it has ended: let it read to the end, or write to a file with -o',
    '2000000 steps',
    'status 1',
    '',
  ]);
});

test('no room for the buffers: END says so, the program runs on, status 1', () => {
  const trace = bench.path('crowded.dptrace');
  const crowd = bench.compile('crowd.c');
  const script = `mount -t tmpfs -o size=40m tmpfs /dev/shm || exit 99
    ${recorder} -o ${trace} -- ${crowd}; echo status $?; ls /dev/shm`;
  const { stdout, stderr } = bench.run(['unshare', '--mount', '--map-root-user', 'sh', '-c', script]);
  expect(stdout).toBe('400\nstatus 1\n');
  expect(stderr).toBe('dprof: not all could be recorded: No space left on device\nhint: make room in /dev/shm\n');
  expect(readPlain(trace).end).toMatchObject({
    exit: { code: 0 },
    stopped: "no room for the program's buffers: No space left on device",
  });
  const roomy = bench.record('roomy.dptrace', [crowd]);
  expect(roomy.status).toBe(0);
  expect(readPlain(roomy.trace).end).toMatchObject({ threads: 201, segments: 400, lostSegments: 0 });
});

test(
  'a recorder that is killed: whole chunks in FILE.incomplete, the program runs on, its session is removed by ' +
    'the next',
  async () => {
    const child = spawn(
      recorder,
      [
        '-o',
        bench.path('killed.dptrace'),
        '--',
        bench.compile('noise.c', { output: 'noise-long', flags: ['-DSTEPS=16000000', '-DWAITS'] }),
      ],
      { cwd: bench.folder, stdio: ['pipe', 'pipe', 'inherit'] },
    );
    let output = '';
    child.stdout!.on('data', (data) => (output += data));
    while (output !== 'half\n' || !isWriting('killed.dptrace')) await setTimeout(10);
    expect(sessionsOf(child.pid!)).toHaveLength(1);
    child.kill('SIGKILL');
    child.stdin!.end();
    await new Promise((done) => child.stdout!.on('close', done));
    expect(output).toBe('half\n16000000 steps\n');
    expect(bench.files('killed')).toEqual(['killed.dptrace.incomplete']);
    expect(
      readChunks(bench.path('killed.dptrace.incomplete'))
        .chunks.map((chunk) => chunk.kind)
        .slice(0, 3),
    ).toEqual([1, 2, 3]);
    bench.record('after.dptrace', [program]);
    expect(sessionsOf(child.pid!)).toEqual([]);
  },
);

test('SIGTERM reaches the program, and its trace is whole', async () => {
  const child = spawn(
    recorder,
    [
      '-o',
      bench.path('term.dptrace'),
      '--',
      bench.compile('noise.c', { output: 'noise-endless', flags: ['-DSTEPS=2000000000'] }),
    ],
    { cwd: bench.folder, stdio: 'ignore' },
  );
  while (!isWriting('term.dptrace')) await setTimeout(10);
  child.kill('SIGTERM');
  const status = await new Promise((done) => child.on('exit', done));
  expect(status).toBe(143);
  expect(readdirSync(bench.folder).filter((name) => name.startsWith('term'))).toEqual(['term.dptrace']);
});

// Destinations of a recording: every kind of place, what it refuses, and what a slow or dead reader costs.

import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTrace } from '../../src/replay/open-trace.js';
import { referencesOf } from '../real/faults.js';
import { readPlain } from './plain-reader.js';
import { type Outcome, recorder, root, Workbench } from './workbench.js';

const bench = new Workbench();
let program: string;
let whole: Buffer;
beforeAll(() => {
  program = bench.compile('ends.c');
  whole = referencesOf(openTrace(bench.record('whole.dptrace', [program, 'return']).trace));
});
afterAll(() => bench.clean());

function start(command: readonly string[]): Promise<Outcome & { readonly bytes: Buffer }> {
  const child = spawn(command[0], command.slice(1), { cwd: bench.folder, stdio: ['ignore', 'pipe', 'pipe'] });
  const parts: Buffer[] = [];
  let stderr = '';
  child.stdout.on('data', (part: Buffer) => parts.push(part));
  child.stderr.on('data', (part: Buffer) => (stderr += part.toString()));
  return new Promise((done) =>
    child.on('close', (status) => done({ status, stdout: '', stderr, bytes: Buffer.concat(parts) })),
  );
}

function expectWhole(trace: string): void {
  expect(readPlain(trace).end).toMatchObject({ exit: { code: 0 }, segments: 5000, lostSegments: 0 });
  expect(referencesOf(openTrace(trace)).equals(whole)).toBe(true);
}

/** A server that keeps what each connection brings. */
async function withServer<T>(
  listen: (server: ReturnType<typeof createServer>, ready: () => void) => void,
  body: (server: ReturnType<typeof createServer>, received: Promise<Buffer>[]) => Promise<T>,
): Promise<T> {
  const received: Promise<Buffer>[] = [];
  const server = createServer((socket: Socket) => {
    const parts: Buffer[] = [];
    socket.on('data', (part) => parts.push(part));
    received.push(new Promise((done) => socket.on('end', () => done(Buffer.concat(parts)))));
  });
  await new Promise<void>((ready) => listen(server, ready));
  try {
    return await body(server, received);
  } finally {
    server.close();
  }
}

describe('streams carry what a file does', () => {
  test('standard output; what the program writes there goes to standard error', async () => {
    const { status, bytes } = await start([recorder, '-o', '-', '--', program, 'return']);
    expect(status).toBe(0);
    writeFileSync(bench.path('stdout.dptrace'), bytes);
    expectWhole(bench.path('stdout.dptrace'));
    const noisy = await start([recorder, '-o', '-', '--', bench.compile('noise.c', { flags: ['-DSTEPS=10'] })]);
    expect(noisy.stderr).toBe('10 steps\n');
    expect(noisy.bytes.subarray(0, 8).toString()).toBe('DPROFTRC');
  });

  test('a FIFO', async () => {
    execFileSync('mkfifo', [bench.path('fifo')]);
    const [reader, { status }] = await Promise.all([
      start(['cat', bench.path('fifo')]),
      start([recorder, '-o', bench.path('fifo'), '--', program, 'return']),
    ]);
    expect(status).toBe(0);
    writeFileSync(bench.path('fifo.dptrace'), reader.bytes);
    expectWhole(bench.path('fifo.dptrace'));
  });

  test.each([
    [
      'a Unix socket',
      (server: ReturnType<typeof createServer>, ready: () => void) => void server.listen(bench.path('socket'), ready),
    ],
    ['TCP', (server: ReturnType<typeof createServer>, ready: () => void) => void server.listen(0, '127.0.0.1', ready)],
  ])('%s: one connection for each process', async (name, listen) => {
    await withServer(listen, async (server, received) => {
      const where =
        name === 'TCP' ? `tcp://127.0.0.1:${(server.address() as AddressInfo).port}` : `unix:${bench.path('socket')}`;
      expect((await start([recorder, '-o', where, '--', program, 'return'])).status).toBe(0);
      writeFileSync(bench.path('socket.dptrace'), await received[0]);
      expectWhole(bench.path('socket.dptrace'));
      expect((await start([recorder, '-o', where, '--', program, 'fork'])).status).toBe(4);
      await expect.poll(() => received.length, { timeout: 60_000 }).toBe(3); // the last may not be accepted yet
      const segments = [];
      for (const bytes of await Promise.all(received.slice(1))) {
        writeFileSync(bench.path('part.dptrace'), bytes);
        segments.push(readPlain(bench.path('part.dptrace')).end!.segments);
      }
      expect(segments.sort()).toEqual([200, 5100]);
    });
  });

  test('null is nowhere', () => {
    expect(bench.run([recorder, '-o', 'null', '--', program, 'kill'])).toEqual({ status: 137, stdout: '', stderr: '' });
    expect(existsSync(bench.path('null'))).toBe(false);
  });
});

describe('what is refused before anything is started', () => {
  test.each([
    [
      'tcp://192.0.2.1:7000',
      2,
      'tcp://192.0.2.1:7000 is another machine: a trace tells much about a program',
      'add --allow-remote if that is meant',
    ],
    ['tcp://127.0.0.1', 2, 'tcp://127.0.0.1 is no address', 'give host and port, as in tcp://127.0.0.1:7000'],
    [
      'tcp://127.0.0.1:1',
      1,
      'can not connect to tcp://127.0.0.1:1: Connection refused',
      'start the reader before the recording',
    ],
    [
      'unix:/nowhere/socket',
      1,
      'can not connect to unix:/nowhere/socket: No such file or directory',
      'start the reader before the recording',
    ],
    ['text:/nowhere/text', 1, 'can not write /nowhere/text: No such file or directory', 'choose another place with -o'],
  ])('%s', (where, status, line, hint) => {
    expect(bench.run([recorder, '-o', where, '--', 'touch', bench.path('started')])).toEqual({
      status,
      stdout: '',
      stderr: `dprof: ${line}\nhint: ${hint}\n`,
    });
    expect(existsSync(bench.path('started'))).toBe(false);
  });

  test('--drop into a file', () => {
    expect(bench.run([recorder, '--drop', '--', program])).toMatchObject({
      status: 2,
      stderr: 'dprof: --drop is for pipes and sockets: a file is always waited for\nhint: leave it out\n',
    });
  });

  test('shared objects that are no sinks', () => {
    const compile = (name: string, text: string): string => {
      writeFileSync(bench.path(`${name}.c`), text);
      execFileSync('clang-19', [
        '-shared',
        '-fPIC',
        '-I',
        join(root, 'runtime/include'),
        bench.path(`${name}.c`),
        '-o',
        bench.path(`${name}.so`),
      ]);
      return bench.path(`${name}.so`);
    };
    const attempt = (path: string): string =>
      bench.run([recorder, '--sink', path, '--', 'touch', bench.path('started')]).stderr.split('\n')[0];
    expect(attempt('/nowhere.so')).toBe(
      'dprof: can not load the sink: /nowhere.so: cannot open shared object file: No such file or directory',
    );
    const empty = compile('empty', 'int nothing;');
    expect(attempt(empty)).toBe(`dprof: ${empty} is no sink: it defines no dprof_sink with an open function`);
    const other = compile(
      'other',
      '#include <dprof/sink.h>\nstatic void *open_it(const char *a, const struct dprof_sink_process *p) { ' +
        'return (void *)(a + p->pid); }\nconst struct dprof_sink_functions dprof_sink = {.version = 99, .open = ' +
        'open_it};',
    );
    expect(attempt(other)).toBe(`dprof: ${other} is a sink of version 99, and this is version 1`);
    expect(existsSync(bench.path('started'))).toBe(false);
  });
});

describe('decoded records', () => {
  let pairs: string;
  beforeAll(() => {
    writeFileSync(
      bench.path('pairs.c'),
      `#include <stdlib.h>
struct pair { long a, b; };
struct list { struct list *next; int value; };
int main(void) {
  struct pair *p = malloc(10 * sizeof *p);
  for (int i = 0; i < 10; i++) { ((volatile struct pair *)p)[i].a = i; ((volatile struct pair *)p)[i].b = 1; }
  struct list *head = 0;
  for (int i = 0; i < 4; i++) { struct list *l = malloc(sizeof *l); *(struct list *volatile *)&l->next = head; *(volatile int *)&l->value = i; head = l; }
  int sum = 0;
  for (; head; head = head->next) sum += head->value;
  return sum;
}
`,
    );
    pairs = bench.path('pairs');
    execFileSync(join(root, 'bin/dprof-cc'), ['-O1', '-g', bench.path('pairs.c'), '-o', pairs]);
  });

  test('text: its accesses are those of the trace, in order', () => {
    const { status } = bench.run([recorder, '-o', `text:${bench.path('pairs.txt')}`, '--', pairs]);
    expect(status).toBe(6);
    bench.record('pairs.dptrace', [pairs]);
    const lines = readFileSync(bench.path('pairs.txt'), 'utf8').trim().split('\n');
    const accesses = lines.flatMap((line) => {
      const [thread, kind, address, size] = line.split(' ');
      return ['load', 'store', 'atomic'].includes(kind)
        ? [`${thread} ${{ load: 'r', store: 'w', atomic: 'a' }[kind]} ${address} ${size}\n`]
        : [];
    });
    expect(accesses.join('')).toBe(referencesOf(openTrace(bench.path('pairs.dptrace'))).toString());
    expect(lines.filter((line) => line.includes(' store ') && line.includes('struct pair.a main '))).toHaveLength(10);
    expect(lines.at(-1)).toContain('# end {"exit":{"code":6},"threads":1,');
  });

  test('the example of the docs counts by type', () => {
    const source = readFileSync(join(root, 'examples/sink/count-types.c'), 'utf8');
    expect(readFileSync(join(root, 'docs/sinks.md'), 'utf8')).toContain(source);
    execFileSync('clang-19', [
      '-Wall',
      '-Wextra',
      '-Werror',
      '-shared',
      '-fPIC',
      '-I',
      join(root, 'runtime/include'),
      join(root, 'examples/sink/count-types.c'),
      '-o',
      bench.path('count-types.so'),
    ]);
    expect(bench.run([recorder, '--sink', './count-types.so', '-o', bench.path('counts'), '--', pairs]).status).toBe(6);
    const counts = readFileSync(bench.path('counts'), 'utf8').split('\n');
    expect([counts[0], ...counts.filter((line) => /^struct|allocations/.test(line)).sort()]).toEqual([
      pairs,
      '5 allocations',
      'struct list: 8 loads, 8 stores',
      'struct pair: 0 loads, 20 stores',
    ]);
  });

  test('a sink that fails ends the recording, not the program', () => {
    writeFileSync(
      bench.path('failing.c'),
      `#include <dprof/sink.h>
static void *open_it(const char *argument, const struct dprof_sink_process *process) { (void)process; return (void *)argument; }
static int records(void *sink, const struct dprof_sink_record *all, size_t count) { (void)sink; (void)all; (void)count; return 28; }
const struct dprof_sink_functions dprof_sink = {.version = DPROF_SINK_VERSION, .open = open_it, .records = records};
`,
    );
    execFileSync('clang-19', [
      '-shared',
      '-fPIC',
      '-I',
      join(root, 'runtime/include'),
      bench.path('failing.c'),
      '-o',
      bench.path('failing.so'),
    ]);
    const { status, stdout, stderr } = bench.run([
      recorder,
      '--sink',
      './failing.so',
      '--',
      bench.compile('noise.c', { output: 'noise-sink' }),
    ]);
    expect([status, stdout]).toEqual([1, '2000000 steps\n']);
    expect(stderr).toBe(
      'dprof: ./failing.so: No space left on device; recording stopped, what was written is kept\nhint: make ' +
        'room, or choose another place with -o\n',
    );
  });
});

describe('readers', () => {
  const slowly = `python3 -c "import sys,time
for i in range(12): sys.stdout.buffer.write(sys.stdin.buffer.read1(65536)); time.sleep(0.05)
sys.stdout.buffer.write(sys.stdin.buffer.read())"`;
  const steps = 8_000_000;

  test('a slow one is waited for, and misses nothing', () => {
    const noise = bench.compile('noise.c', { output: 'noise-slow', flags: ['-DSTEPS=1000000'] });
    bench.run(['bash', '-c', `${recorder} -o - -- ${noise} | ${slowly} > ${bench.path('slow.dptrace')}`]);
    expect(openTrace(bench.path('slow.dptrace')).end).toMatchObject({ segments: 1_000_000, lostSegments: 0 });
  });

  test('with --drop it is not, and the trace says how many paths are missing, and where', () => {
    const noise = bench.compile('noise.c', { output: 'noise-drop', flags: [`-DSTEPS=${steps}`] });
    bench.run(['bash', '-c', `${recorder} -o - --drop -- ${noise} | ${slowly} > ${bench.path('drop.dptrace')}`]);
    const plain = readPlain(bench.path('drop.dptrace'));
    const end = plain.end as unknown as { segments: number; lostSegments: number; dropped: number };
    expect(end.dropped).toBeGreaterThan(0);
    expect([end.lostSegments, end.segments + end.dropped]).toEqual([end.dropped, steps]);
    const events = plain.threads.get(0)!.steps.flatMap((step) => ('event' in step ? [step.event] : []));
    expect(
      events.filter((event) => event.name === 'LOST').reduce((sum, event) => sum + Number(event.fields[0]), 0),
    ).toBe(end.dropped);
    // The last is printf's buffer: no event is dropped
    expect([events[0].name, events.at(-1)!.name]).toEqual(['THREAD_START', 'ALLOCATE']);
  });
});

describe('two recordings of a deterministic program', () => {
  test('have the same references, however long the names are that dprof is given', () => {
    const again = bench.record(`${'a-longer-name'.repeat(9)}.dptrace`, [program, 'return']);
    expect(referencesOf(openTrace(again.trace)).equals(whole)).toBe(true);
    bench.run([recorder, '-o', `text:${bench.path('x')}`, '--', program, 'return']);
    const text = readFileSync(bench.path('x'), 'utf8');
    const first = /^0 w ([0-9a-f]+) 8$/m.exec(whole.toString())![1];
    expect(text).toContain(`0 store ${first} 8 `);
  });

  test('a trace says where randomisation could not be switched off', () => {
    const without = bench.compile('no-personality.c', { plain: true });
    const trace = bench.path('randomised.dptrace');
    const { status, stderr } = bench.run([without, recorder, '-o', trace, '--', program, 'return']);
    expect([status, stderr]).toEqual([
      0,
      'dprof: address randomisation could not be switched off: two recordings will differ in addresses\n',
    ]);
    expect([openTrace(trace).header.aslr, openTrace(trace).process.randomised]).toEqual([true, true]);
    expect(openTrace(bench.path('whole.dptrace')).header.aslr).toBe(false);
  });
});

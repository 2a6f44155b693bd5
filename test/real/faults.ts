// Stage: test. What can go wrong while a program is recorded, one function for each kind: it makes the fault at a
// moment that a seed decides, and answers what is not as it should be. The program must behave as without dprof; what
// was recorded must be the beginning of what a whole recording has, and must say why it ends.

import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { dumpReferences } from '../../src/dump/reference-text.js';
import { dumpTrace } from '../../src/dump/trace-text.js';
import { resolveMachine } from '../../src/machine/parse-machine.js';
import { openTrace, replayInput, type OpenedTrace } from '../../src/replay/open-trace.js';
import { replayNatively } from '../engine/replay-natively.js';
import { RandomNumbers } from '../random/random-numbers.js';

function findRoot(): string {
  for (let folder = import.meta.dirname; ; folder = dirname(folder))
    if (existsSync(join(folder, 'package.json'))) return folder;
}

const ROOT = findRoot();
const RECORDER = resolve(process.env.DPROF_BUILD ?? join(ROOT, 'build'), 'bin/dprof-record');
const SOURCE = join(ROOT, 'test/real/programs/bad-times.c');
/** Against a program that hangs. */
const LIMIT_MS = 900_000;
/** The same for every run, shells in between or not: where a stack begins depends on it. */
const ENVIRONMENT = { PATH: process.env.PATH ?? '/usr/bin:/bin' };
const CLEAN = `env -i PATH=${ENVIRONMENT.PATH}`;

export interface Outcome {
  /** Number, or name of a signal. */
  readonly status: string;
  readonly output: string;
  readonly errors: string;
}

/** The recorder gives a signal as 128 + n, as a shell does. */
const SIGNALS: Readonly<Record<string, string>> = { SIGABRT: '134', SIGSEGV: '139', SIGKILL: '137', SIGTERM: '143' };

export class FaultBench {
  readonly folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'dprof-faults-'));
  readonly plain = join(this.folder, 'plain');
  readonly recorded = join(this.folder, 'recorded');
  private readonly whole = new Map<string, { references: Buffer; output: string; status: string }>();
  private count = 0;

  constructor(seed: number) {
    this.random = new RandomNumbers(seed);
    const flags = ['-O1', '-g', '-w', '-pthread', SOURCE, '-o'];
    for (const [compiler, program] of [
      ['clang-19', this.plain],
      [join(ROOT, 'bin/dprof-cc'), this.recorded],
    ]) {
      const { status, stderr } = spawnSync(compiler, [...flags, program], { encoding: 'utf8' });
      if (status !== 0) throw new Error(stderr);
    }
  }

  readonly random: RandomNumbers;

  clean(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** A name that no other run has. */
  fresh(): string {
    return join(this.folder, `run-${this.count++}`);
  }

  start(command: readonly string[]): { child: ChildProcess; ended: Promise<Outcome> } {
    const child = spawn(command[0], command.slice(1), {
      cwd: this.folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: ENVIRONMENT,
    });
    let [output, errors] = ['', ''];
    child.stdout!.on('data', (text: Buffer) => (output += text.toString('latin1')));
    child.stderr!.on('data', (text: Buffer) => (errors += text.toString('latin1')));
    const timer = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS);
    const ended = new Promise<Outcome>((done) => {
      child.on('close', (status, signal) => {
        clearTimeout(timer);
        done({ status: String(signal ?? status), output, errors });
      });
    });
    return { child, ended };
  }

  run(command: readonly string[]): Promise<Outcome> {
    return this.start(command).ended;
  }

  record(trace: string, program: readonly string[]): string[] {
    return [RECORDER, '-o', trace, '--', this.recorded, ...program];
  }

  /** Output and status of the program without dprof, and all references of a recording that nothing disturbed. */
  async undisturbed(program: readonly string[]): Promise<{ references: Buffer; output: string; status: string }> {
    const key = program.join(' ');
    const known = this.whole.get(key);
    if (known) return known;
    const { output, status } = await this.run([this.plain, ...program]);
    const trace = this.fresh();
    await this.run(this.record(trace, program));
    const made = { references: referencesOf(openTrace(trace)), output, status };
    rmSync(trace);
    this.whole.set(key, made);
    return made;
  }

  /** Faults of a trace that may be cut: null where it is a beginning of the whole. */
  async judgeTrace(path: string, program: readonly string[]): Promise<string | null> {
    try {
      const trace = openTrace(path);
      const references = referencesOf(trace);
      const { references: all } = await this.undisturbed(program);
      if (references.length > all.length || references.compare(all, 0, references.length) !== 0)
        return `${path}: its references are not the first of a whole recording's`;
      if (
        !trace.truncated &&
        references.length !== all.length &&
        trace.end!.exit &&
        !('signal' in (trace.end!.exit as object))
      )
        return `${path}: it says that it is whole, and is not`;
      return null;
    } catch (error) {
      return `${path}: ${(error as Error).message}`;
    }
  }
}

export function referencesOf(trace: OpenedTrace): Buffer {
  const parts: Buffer[] = [];
  const machine = resolveMachine({}, Math.max(1, trace.threads.length));
  dumpReferences(replayInput(trace, machine, { kind: 'logical' }), (bytes) => parts.push(Buffer.from(bytes)));
  return Buffer.concat(parts);
}

/** Few enough for the engine to read ahead of all of them. */
const MANY_THREADS = 500;

/** Decodes all of a trace. */
function readToTheEnd(path: string): OpenedTrace {
  const trace = openTrace(path);
  if (trace.threads.length > MANY_THREADS) for (const line of dumpTrace(trace)) void line;
  else replayNatively(replayInput(trace, resolveMachine({}, Math.max(1, trace.threads.length)), { kind: 'logical' }));
  return trace;
}

export interface Mode {
  readonly program: readonly string[];
  /** Words of a shell in front of the program. */
  readonly under?: string;
  /** Processes that leave a trace: at least. */
  readonly traces: number;
}

/** All that the program does by itself; few: what takes a second or two in all. */
export function modes(few: boolean): Mode[] {
  const scale = (many: number, little: number): string => String(few ? little : many);
  return [
    { program: ['work', '50000'], traces: 1 },
    { program: ['storm', scale(10_000, 1000)], traces: 1 },
    { program: ['crowd', scale(2000, 300)], traces: 1 },
    { program: ['deep', scale(2000, 200)], traces: 1 },
    { program: ['deep-exit'], traces: 1 },
    { program: ['deep-die'], traces: 1 },
    { program: ['vfork', scale(300, 30)], traces: few ? 11 : 101 },
    { program: ['spawn', scale(100, 10)], traces: few ? 11 : 101 },
    { program: ['fork', scale(100, 10)], traces: few ? 11 : 101 },
    { program: ['cancel', scale(150, 30)], traces: 1 },
    { program: ['altstack', scale(3000, 200)], traces: 1 },
    { program: ['abort'], traces: 1 },
    { program: ['memory', '700'], traces: 1 },
    { program: ['memory', '0'], under: 'ulimit -v 700000;', traces: 1 },
    { program: ['fork', '3'], under: 'ulimit -f 1;', traces: 4 },
    { program: ['lock'], traces: 1 },
  ];
}

/** The same output and the same end with and without dprof, and every trace whole. */
export async function judgeMode(bench: FaultBench, { program, under = '', traces }: Mode): Promise<string[]> {
  const name = bench.fresh();
  const wrap = (path: string): string[] =>
    under === '' ? [path, ...program] : ['sh', '-c', `${under} exec "$0" "$@"`, path, ...program];
  const without = await bench.run(wrap(bench.plain));
  const within = await bench.run([RECORDER, '-o', name, '--', ...wrap(bench.recorded)]);
  const what = `${under}${program.join(' ')}`;
  const faults: string[] = [];
  const wanted = SIGNALS[without.status] ?? without.status;
  if (within.status !== wanted || within.output !== without.output)
    faults.push(`${what}: ${wanted} ${without.output} became ${within.status} ${within.output} ${within.errors}`);
  const made = readdirSync(bench.folder).filter((file) => file.startsWith(`${name.slice(bench.folder.length + 1)}`));
  if (made.length < traces) faults.push(`${what}: ${made.length} traces, not ${traces}`);
  for (const file of made) {
    try {
      if (readToTheEnd(join(bench.folder, file)).truncated) faults.push(`${what}: ${file} has no end`);
    } catch (error) {
      faults.push(`${what}: ${(error as Error).message}`);
    }
  }
  for (const file of made) rmSync(join(bench.folder, file));
  return faults;
}

const WORK = ['work', '200000'];

/** kill -9 of the program, some time from its start on. */
export async function killProgram(bench: FaultBench): Promise<string[]> {
  const name = bench.fresh();
  const { child, ended } = bench.start(bench.record(name, WORK));
  await sleep(bench.random.below(60));
  const list = `/proc/${child.pid}/task/${child.pid}/children`;
  const children = existsSync(list) ? readFileSync(list, 'utf8').trim() : '';
  const killed = children !== '' && spawnSync('kill', ['-9', children]).status === 0;
  const { status, errors } = await ended;
  const { status: own } = await bench.undisturbed(WORK);
  if (!killed && status === own) return await leftovers(bench, name);
  if (status !== '137' && status !== own && !(status === '1' && errors.includes('is not instrumented')))
    return [`killed program: status ${status}: ${errors}`];
  return await leftovers(bench, name);
}

/** kill -9 of the recorder: the program ends as if nobody had recorded it. */
export async function killRecorder(bench: FaultBench): Promise<string[]> {
  const name = bench.fresh();
  const { child, ended } = bench.start(bench.record(name, WORK));
  await sleep(bench.random.below(60));
  child.kill('SIGKILL');
  const { status, output } = await ended; // the program holds the pipe until it has ended
  const whole = await bench.undisturbed(WORK);
  const faults = await leftovers(bench, name);
  // Before the program was started there is no output of it.
  const started = existsStarted(output, whole.output);
  if (!started && status !== 'SIGKILL') faults.push(`killed recorder: ${status}, output ${JSON.stringify(output)}`);
  return faults;
}

function existsStarted(output: string, wanted: string): boolean {
  return output === wanted || output === '';
}

async function leftovers(bench: FaultBench, name: string): Promise<string[]> {
  const faults: string[] = [];
  for (const path of [name, `${name}.incomplete`]) {
    // A recorder that was killed before its first write leaves an empty file.
    if (existsSync(path) && statSync(path).size >= 64) {
      const fault = await bench.judgeTrace(path, WORK);
      if (fault !== null) faults.push(fault);
    }
    rmSync(path, { force: true });
  }
  return faults;
}

/** May this process make mounts of its own? */
export function canMount(): boolean {
  return (
    spawnSync('unshare', ['--mount', 'true']).status === 0 &&
    spawnSync('unshare', ['--mount', 'sh', '-c', 'mount -t tmpfs tmpfs /mnt'], { stdio: 'ignore' }).status === 0
  );
}

/** A disk of its own that is full after a while. */
export async function fillDisk(bench: FaultBench): Promise<string[]> {
  const disk = bench.fresh();
  const kept = bench.fresh();
  mkdirSync(disk);
  const kilobytes = 8 + bench.random.below(1400);
  const command = bench
    .record(`${disk}/t`, WORK)
    .map((word) => `'${word}'`)
    .join(' ');
  const { status, output, errors } = await bench.run([
    'unshare',
    '--mount',
    'sh',
    '-c',
    `mount -t tmpfs -o size=${kilobytes}k tmpfs ${disk} && ${CLEAN} ${command}; s=$?; cp ${disk}/t ${kept}; exit $s`,
  ]);
  const whole = await bench.undisturbed(WORK);
  const faults =
    output === whole.output ? [] : [`full disk of ${kilobytes} KiB: output ${JSON.stringify(output)} ${errors}`];
  const isSmall =
    status === '1' && errors.includes('No space left on device; recording stopped, what was written is kept');
  if (!isSmall && status !== whole.status) faults.push(`full disk of ${kilobytes} KiB: status ${status} ${errors}`);
  const fault = await bench.judgeTrace(kept, WORK);
  if (fault !== null) faults.push(fault);
  else if (isSmall && !openTrace(kept).truncated)
    faults.push(`full disk of ${kilobytes} KiB: the trace does not say that it is cut`);
  rmSync(kept, { force: true });
  return faults;
}

/** Little memory for the buffers, or none that can be written. */
export async function fillSharedMemory(bench: FaultBench): Promise<string[]> {
  const kilobytes = bench.random.below(3) === 0 ? 0 : 33_000 + bench.random.below(4000);
  const trace = bench.fresh();
  const command = [RECORDER, '-o', '/mnt/t', '--', ...[bench.recorded, 'crowd', '200']]
    .map((word) => `'${word}'`)
    .join(' ');
  // The bench lies in /dev/shm itself: it is seen at /mnt.
  const inside = command.replaceAll(bench.folder, '/mnt');
  const script =
    `mount --bind ${bench.folder} /mnt && mount -t tmpfs -o ${kilobytes === 0 ? 'ro' : `size=${kilobytes}k`} ` +
    `tmpfs /dev/shm && cd /mnt && TMPDIR=/nowhere ${inside}; s=$?; mv /mnt/t /mnt/` +
    `${trace.slice(bench.folder.length + 1)}; exit $s`;
  const { status, output, errors } = await bench.run(['unshare', '--mount', 'sh', '-c', script]);
  const without = await bench.run([bench.plain, 'crowd', '200']);
  const faults =
    output === without.output ? [] : [`/dev/shm of ${kilobytes} KiB: output ${JSON.stringify(output)} ${errors}`];
  const isFull = status === '1' && errors.includes('not all could be recorded: No space left on device');
  if (!isFull && status !== without.status) faults.push(`/dev/shm of ${kilobytes} KiB: status ${status} ${errors}`);
  try {
    const { end } = readToTheEnd(trace);
    if (isFull !== String(end?.stopped).startsWith("no room for the program's buffers"))
      faults.push(`/dev/shm of ${kilobytes} KiB: ${JSON.stringify(end)}`);
  } catch (error) {
    faults.push((error as Error).message);
  }
  rmSync(trace, { force: true });
  return faults;
}

/** A reader that goes away after a number of bytes: of a pipe, or of a socket. */
export async function closeReader(bench: FaultBench): Promise<string[]> {
  const most = bench.random.below(1_400_000);
  const kept = bench.fresh();
  const whole = await bench.undisturbed(WORK);
  const overPipe = bench.random.below(2) === 0;
  let outcome: Outcome;
  if (overPipe) {
    const command = [RECORDER, '-o', '-', '--', bench.recorded, ...WORK].map((word) => `'${word}'`).join(' ');
    outcome = await bench.run([
      'bash',
      '-c',
      `{ ${CLEAN} ${command}; echo status $? >&2; } | head -c ${most} > ${kept}`,
    ]);
  } else {
    outcome = await readFromSocket(bench, kept, most);
  }
  const { errors, output } = outcome;
  const said = overPipe ? errors : output;
  const faults = said.includes(whole.output) ? [] : [`reader that takes ${most} bytes: output ${JSON.stringify(said)}`];
  const broke = /(Broken pipe|Connection reset by peer); recording stopped/.test(errors);
  const status = overPipe ? /status (\d+)/.exec(errors)?.[1] : outcome.status;
  if (broke ? status !== '1' : status !== whole.status)
    faults.push(`reader that takes ${most} bytes: status ${status} ${errors}`);
  if (statSync(kept).size >= 64) {
    const fault = await bench.judgeTrace(kept, WORK);
    if (fault !== null) faults.push(fault);
  }
  rmSync(kept, { force: true });
  return faults;
}

async function readFromSocket(bench: FaultBench, kept: string, most: number): Promise<Outcome> {
  const { appendFileSync, writeFileSync } = await import('node:fs');
  writeFileSync(kept, '');
  let left = most;
  const closed: Promise<void>[] = [];
  const server = createServer((socket) => {
    closed.push(new Promise((done) => socket.on('close', () => done())));
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      appendFileSync(kept, bytes.subarray(0, left));
      left -= Math.min(left, bytes.length);
      if (left === 0) socket.destroy();
    });
  });
  const isTcp = bench.random.below(2) === 0;
  const path = `${kept}.socket`;
  await new Promise<void>((done) => (isTcp ? server.listen(0, '127.0.0.1', done) : server.listen(path, done)));
  const address = server.address();
  const target = typeof address === 'object' && address !== null ? `tcp://127.0.0.1:${address.port}` : `unix:${path}`;
  const outcome = await bench.run(bench.record(target, WORK));
  await Promise.all(closed);
  await new Promise((done) => server.close(done));
  return outcome;
}

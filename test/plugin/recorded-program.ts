// Stage: test. Compiles a program with dprof-cc, runs it against the runtime double, and gives the events it wrote as
// text.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '../..');
export const PROGRAMS = join(import.meta.dirname, 'programs');
export const DPROF_CC = join(ROOT, 'bin/dprof-cc');
export const DPROF_CXX = join(ROOT, 'bin/dprof-c++');

/** Kept after the run, so that a failure can be looked at. */
export const WORK = mkdtempSync(join(tmpdir(), 'dprof-plugin-'));

let double: string | undefined;

/** The folder with the double, by the runtime's name: a library path makes a program load it instead. */
function doubleFolder(): string {
  if (double === undefined) {
    const folder = join(WORK, 'double');
    mkdirSync(folder);
    // As the runtime is: clang 16 saves the register of the result too, in functions that save all.
    execFileSync('clang-19', [
      '-O1',
      '-fPIC',
      '-shared',
      `-I${join(ROOT, 'runtime/include')}`,
      join(import.meta.dirname, 'double/runtime_double.c'),
      join(import.meta.dirname, 'double/recording.cc'),
      join(ROOT, 'runtime/lib/measure.cc'),
      '-o',
      join(folder, 'libdprof_runtime.so'),
    ]);
    double = folder;
  }
  return double;
}

export function isCxx(source: string): boolean {
  return source.endsWith('.cc');
}

/** Compiles with the plugin and checks the module that it made. */
export function compile(
  source: string,
  flags: readonly string[],
  compiler = isCxx(source) ? DPROF_CXX : DPROF_CC,
): string {
  const program = join(WORK, `${source}${flags.join('').replaceAll('/', '_')}-${compiler.split('/').at(-1)}`);
  execFileSync(compiler, [...flags, '-pthread', join(PROGRAMS, source), '-o', program], {
    env: { ...process.env, DPROF_VERIFY: '1' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  return program;
}

export interface Outcome {
  readonly stdout: string;
  readonly status: number | null;
}

export function run(program: string, environment: Record<string, string> = {}): Outcome {
  const { stdout, status } = spawnSync(program, {
    encoding: 'utf8',
    env: { ...process.env, LD_LIBRARY_PATH: doubleFolder(), ...environment },
  });
  return { stdout, status };
}

export interface Recording extends Outcome {
  readonly lines: readonly string[];
}

export function record(program: string, environment: Record<string, string> = {}): Recording {
  const file = `${program}.events`;
  const outcome = run(program, { DPROF_DOUBLE_OUT: file, ...environment });
  return { ...outcome, lines: readFileSync(file, 'utf8').trimEnd().split('\n') };
}

/** "  store 4 int var=x :12 main" -> event and line of its source. */
interface SlotLine {
  readonly event: string;
  readonly line: number;
}

function parseSlot(text: string): SlotLine | undefined {
  const match = /^ {2}(.*) :(\d+)(?: .*)?$/.exec(text);
  return match ? { event: match[1]!, line: Number(match[2]) } : undefined;
}

/**
 * By source line: the distinct accesses in the order they were first made. What an unoptimised program does to its own
 * plain locals is left out.
 */
export function accessesByLine(lines: readonly string[]): Map<number, string[]> {
  const found = new Map<number, string[]>();
  for (const text of lines) {
    const slot = parseSlot(text);
    if (!slot || slot.event.startsWith('site') || slot.event.startsWith('object')) continue;
    const isPlainLocal = / local=\w+$/.test(slot.event) && !/ \./.test(slot.event);
    if (isPlainLocal) continue;
    const events = found.get(slot.line) ?? [];
    if (!events.includes(slot.event)) events.push(slot.event);
    found.set(slot.line, events);
  }
  return found;
}

/** Records of a kind with the site under them: "allocation memory bytes=16: struct item", by source line. */
export function sitesByLine(lines: readonly string[]): Map<number, string[]> {
  const found = new Map<number, string[]>();
  lines.forEach((text, i) => {
    const kind = /^(allocation|free) /.exec(text)?.[1];
    if (!kind) return;
    const site = /^ {2}site(?: (.*))? :(\d+)/.exec(lines[i + 1]!)!;
    const what = kind === 'free' ? 'free' : `allocation ${/(memory|null) bytes=\d+$/.exec(text)![0]}`;
    const events = found.get(Number(site[2])) ?? [];
    events.push(site[1] ? `${what}: ${site[1]}` : what);
    found.set(Number(site[2]), events);
  });
  return found;
}

/** Comments at the end of code lines, by line. */
export function expectedByLine(source: string): Map<number, string[]> {
  const expected = new Map<number, string[]>();
  readFileSync(join(PROGRAMS, source), 'utf8')
    .split('\n')
    .forEach((text, i) => {
      const comment = /^.*[;{})] *\/\/ (.*)$/.exec(text)?.[1];
      if (comment) expected.set(i + 1, comment.split('; '));
    });
  return expected;
}

/** Lines that are nothing but comment, those of `kinds`. */
export function expectedStream(source: string, kinds: RegExp): string[] {
  return readFileSync(join(PROGRAMS, source), 'utf8')
    .split('\n')
    .map((text) => /^\/\/ +(.*)$/.exec(text)?.[1] ?? '')
    .filter((text) => kinds.test(text));
}

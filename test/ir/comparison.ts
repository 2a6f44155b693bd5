// Stage: random IR. A module -> what is wrong with how dprof-cc compiles or records it, if anything: its behaviour
// against plain clang's and the interpreter's, the references that were recorded against those that the interpreter
// made.
import { execFileSync, spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { dumpReferences } from '../../src/dump/reference-text.js';
import { resolveMachine } from '../../src/machine/parse-machine.js';
import { openTrace, replayInput } from '../../src/replay/open-trace.js';
import { ROOT } from '../real/real-program.js';
import type { Run } from './interpreter.js';
import { APART, GLOBALS, STACK, type Reference } from './memory.js';

const BUILD = process.env.DPROF_BUILD ?? resolve(ROOT, 'build');
const LINE_BYTES = 64;

export class Difference extends Error {}

function command(
  words: readonly string[],
  environment: Record<string, string> = {},
): { stdout: string; stderr: string } {
  const { stdout, stderr, status, signal } = spawnSync(words[0], words.slice(1), {
    encoding: 'utf8',
    maxBuffer: 1 << 29,
    env: { ...process.env, ...environment },
  });
  if (status !== 0) throw new Difference(`${words.join(' ')} ended with ${signal ?? status}: ${stderr.slice(0, 2000)}`);
  return { stdout, stderr };
}

/** Once for all modules. */
export function compileHarness(folder: string): string {
  const harness = resolve(folder, 'harness.o');
  execFileSync('clang-19', ['-O1', '-c', resolve(ROOT, 'test/ir/harness.c'), '-o', harness]);
  return harness;
}

interface Outcome {
  readonly result: string;
  readonly globals: readonly number[];
  readonly notes: readonly number[];
}

function readOutcome(text: string): Outcome {
  const of = (word: string): string[] =>
    text
      .split('\n')
      .filter((line) => line.startsWith(`${word} `))
      .map((line) => line.slice(word.length + 1));
  const addresses = (word: string): number[] => of(word).map((digits) => Number.parseInt(digits, 16));
  return { result: of('result').join(), globals: addresses('global'), notes: addresses('note') };
}

export interface Recording extends Outcome {
  readonly references: readonly Reference[];
  /** The number of the module's loops that are recorded once. */
  readonly loops: number;
}

export class Comparison {
  constructor(
    private readonly folder: string,
    private readonly harness: string,
  ) {}

  /** `source`: text or bitcode. */
  runPlain(source: string, level: string): Outcome {
    const program = resolve(this.folder, 'plain');
    command(['clang-19', level, '-w', source, this.harness, '-o', program]);
    return readOutcome(command([program]).stdout);
  }

  record(source: string, level: string, recordsLoopsOnce = true): Recording {
    const program = resolve(this.folder, 'instrumented');
    const trace = resolve(this.folder, 'trace');
    const { stderr } = command(
      [resolve(ROOT, 'bin/dprof-cc'), level, '-w', '-fdprof-stats', source, this.harness, '-o', program],
      {
        DPROF_VERIFY: '1',
        DPROF_LOOPS: recordsLoopsOnce ? '1' : '0',
      },
    );
    const dormant = readOutcome(command([program]).stdout);
    const outcome = readOutcome(command([resolve(BUILD, 'bin/dprof-record'), '-o', trace, '--', program]).stdout);
    if (dormant.result !== outcome.result)
      throw new Difference(`${level}: dormant it gives ${dormant.result}, recorded ${outcome.result}`);
    return {
      ...outcome,
      references: readReferences(trace),
      loops: Number(/(\d+) loops recorded once/.exec(stderr)?.[1] ?? 0),
    };
  }
}

/** As `dprof dump --references` prints them. */
function readReferences(trace: string): Reference[] {
  const opened = openTrace(trace);
  const pieces: Buffer[] = [];
  dumpReferences(replayInput(opened, resolveMachine({}, opened.threads.length), { kind: 'logical' }), (bytes) =>
    pieces.push(Buffer.from(bytes)),
  );
  return Buffer.concat(pieces)
    .toString('latin1')
    .trimEnd()
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const [, kind, address, bytes] = line.split(' ');
      return { kind: kind as Reference['kind'], address: Number.parseInt(address, 16), bytes: Number(bytes) };
    });
}

export const resultOf = ({ given, left }: Run): string => `${given.toString(16)} ${left.toString(16).padStart(8, '0')}`;

const show = ({ kind, address, bytes }: Reference): string => `${kind} ${address.toString(16)} ${bytes}`;

/**
 * The interpreter's name of a place, and its address in the program: told by the program, or learnt where it is first
 * used.
 */
class Whereabouts {
  readonly #stack = new Map<number, number>();

  constructor(
    private readonly recorded: Recording,
    run: Run,
  ) {
    run.notes.forEach((address, i) => this.#stack.set((address - STACK) / APART, recorded.notes[i]));
  }

  find(address: number, seen: number): number {
    if (address < GLOBALS) return address;
    if (address < STACK)
      return this.recorded.globals[Math.floor((address - GLOBALS) / APART)] + ((address - GLOBALS) % APART);
    const variable = Math.floor((address - STACK) / APART);
    const offset = (address - STACK) % APART;
    if (!this.#stack.has(variable)) this.#stack.set(variable, seen - offset);
    return this.#stack.get(variable)! + offset;
  }
}

/** In order: kind, size and address of each. */
export function compareReferences(run: Run, recorded: Recording): void {
  if (run.notes.length !== recorded.notes.length)
    throw new Difference(`${run.notes.length} variables were to be noted, ${recorded.notes.length} were`);
  const places = new Whereabouts(recorded, run);
  const most = Math.max(run.references.length, recorded.references.length);
  for (let i = 0; i < most; i++) {
    const [expected, found] = [run.references[i], recorded.references[i]];
    const isSame =
      expected &&
      found &&
      expected.kind === found.kind &&
      expected.bytes === found.bytes &&
      places.find(expected.address, found.address) === found.address;
    if (isSame) continue;
    const around = (list: readonly Reference[]): string =>
      list
        .slice(Math.max(i - 3, 0), i + 4)
        .map((r, at) => `${at === Math.min(i, 3) ? '>' : ' '}${show(r)}`)
        .join('; ');
    throw new Difference(
      `reference ${i} of ${run.references.length} is not as the interpreter has it (` +
        `${recorded.references.length} recorded)\n  expected ${around(run.references)}\n  recorded ` +
        `${around(recorded.references)}`,
    );
  }
}

/**
 * Between two builds: what lies in the arena exactly, globals by their number, the rest (the stack) by kind and size.
 */
export function describeReferences({ references, globals }: Recording): string[] {
  return references.map(({ kind, address, bytes }) => {
    if (address < 0x2000_0000) return `${kind} ${address.toString(16)} ${bytes}`;
    const index = globals.findIndex((at) => address >= at && address < at + 8 * LINE_BYTES * LINE_BYTES);
    return `${kind} ${index >= 0 ? `global ${address - globals[0]}` : 'stack'} ${bytes}`;
  });
}

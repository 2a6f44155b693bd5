// Stage: test. One of gcc's torture tests -> does it behave under dprof-cc, dormant and recorded, as it does under
// clang-19?
import { spawn } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';

/** Against a program that hangs. */
const LIMIT_MS = 900_000;

interface Behaviour {
  readonly status: string;
  readonly output: string;
}

function behave(command: readonly string[], folder: string): Promise<Behaviour> {
  return new Promise((done) => {
    const child = spawn(command[0], command.slice(1), { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
    const timer = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS);
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text: Buffer) => (output = (output + text.toString('latin1')).slice(-100_000)));
    child.on('close', (status, signal) => {
      clearTimeout(timer);
      done({ status: String(signal ?? status), output });
    });
  });
}

/** These depend on what happens to lie in memory, in plain clang's programs too. */
const UNDEFINED: Readonly<Record<string, string>> = {
  '921202-1.c': 'reads arrays that nothing has written, with a size that nothing has set',
  '20031003-1.c': 'converts a number to int that is none: clang ends main without a return',
  'pr19687.c': 'reads what the initialiser of a union leaves open: clang ends main without a return',
  'pr79286.c': 'indexes far outside an array: clang ends main without a return',
  'frame-address.c': 'compares addresses of variables in different frames',
};

/** The recorder gives a signal as 128 + n, as a shell does. */
const SIGNALS: Readonly<Record<string, string>> = {
  SIGABRT: '134',
  SIGSEGV: '139',
  SIGFPE: '136',
  SIGILL: '132',
  SIGBUS: '135',
  SIGTRAP: '133',
  SIGALRM: '142',
};
const asStatus = (status: string): string => SIGNALS[status] ?? status;

export interface Job {
  readonly name: string;
  readonly source: string;
  /** "-O2", or several flags: "-O2 -flto". */
  readonly level: string;
}

export type Verdict =
  | { readonly kind: 'same' | 'not compiled' | 'not comparable' }
  | { readonly kind: 'differs'; readonly how: string };

export interface Tools {
  readonly wrapper: string;
  readonly recorder: string;
  /** For clang and the wrapper. */
  readonly flags?: readonly string[];
  /** In front of a program that no recorder starts. */
  readonly runner?: readonly string[];
}

/** Compiles and runs in a folder of its own under `scratch`. */
async function judge({ name, source, level }: Job, scratch: string, tools: Tools): Promise<Verdict> {
  const { wrapper, recorder, flags: ofTools = [], runner = [] } = tools;
  if (UNDEFINED[name]) return { kind: 'not comparable' };
  const folder = resolve(scratch, `${`${name}${level}`.replace(/[^\w-]/g, '_')}`);
  mkdirSync(folder);
  try {
    // As gcc's own harness has it: old C, no warnings, and the maths library.
    const flags = [...ofTools, ...level.split(' '), '-w', '-std=gnu89', source, '-lm'];
    const plainly = await behave(['clang-19', ...flags, '-o', 'plain'], folder);
    if (plainly.status !== '0') return { kind: 'not compiled' };
    const compiled = await behave([wrapper, ...flags, '-o', 'instrumented'], folder);
    if (compiled.status !== '0') return { kind: 'differs', how: `does not compile:\n${compiled.output.slice(-1500)}` };
    const [plain, again] = [await behave([...runner, './plain'], folder), await behave([...runner, './plain'], folder)];
    if (plain.status !== again.status || plain.output !== again.output || plain.status === 'SIGKILL')
      return { kind: 'not comparable' };
    const dormant = await behave([...runner, './instrumented'], folder);
    if (dormant.status !== plain.status || dormant.output !== plain.output)
      return { kind: 'differs', how: `dormant: ${plain.status} became ${dormant.status}` };
    const recorded = await behave([recorder, '-o', 'trace', '--', './instrumented'], folder);
    if (recorded.status !== asStatus(plain.status) || recorded.output !== plain.output)
      return {
        kind: 'differs',
        how: `recorded: ${plain.status} became ${recorded.status} ${recorded.output.slice(0, 500)}`,
      };
    return { kind: 'same' };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export interface Tally {
  /** "-O2 same" and the like, with how many there were. */
  readonly counts: ReadonlyMap<string, number>;
  readonly faults: readonly string[];
}

/** All jobs, on as many processors as there are. */
export async function judgeAll(
  jobs: readonly Job[],
  scratch: string,
  tools: Tools,
  progress: (done: number, faults: number) => void = () => {},
): Promise<Tally> {
  const counts = new Map<string, number>();
  const faults: string[] = [];
  let next = 0;
  async function work(): Promise<void> {
    for (let job = jobs[next++]; job; job = jobs[next++]) {
      const verdict = await judge(job, scratch, tools);
      const key = `${job.level} ${verdict.kind}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
      if (verdict.kind === 'differs') faults.push(`${job.name} ${job.level}: ${verdict.how}`);
      progress(next, faults.length);
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return { counts, faults };
}

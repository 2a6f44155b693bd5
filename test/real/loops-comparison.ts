// Stage: test. One program compiled with loops recorded once and without -> whether both recordings say the same.
import { spawnSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { DPROF, ROOT, run } from './real-program.js';

/** Without those whose threads hand each other work: who gets what is another matter in each run. */
const UNLIKE_THEMSELVES = ['sink', 'locked-queue', 'producer-consumer'];

export const EXAMPLES: readonly string[] = readdirSync(resolve(ROOT, 'examples'), { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.c(pp)?$/.test(file) && !UNLIKE_THEMSELVES.includes(dirname(file))).map((file) => `examples/${file}`).toSorted();

export const BOTH_WAYS = [
  { suffix: 'each', environment: ['DPROF_LOOPS=0'] },
  { suffix: 'once', environment: ['DPROF_LOOPS=1'] },
] as const;

/** Constants, variables and the heap behind begin at one address in both, whatever the code before takes: Lua, for one, looks at addresses. */
export const LAYOUT = ['-fno-pie', '-no-pie', '-Wl,--section-start=.rodata=0x20000000', '-Wl,-Tdata=0x30000000'];

/**
 * The text sink's records, thread by thread: whose, what, where, of what size and type, from which line. Of those on the stack, and in constants that lie
 * before the variables, not where. How threads met, and what the process was called, is another matter in each run.
 */
const NORMAL = `grep -vE '^(#|[0-9]+ (start|blocked|time) )' | sort -s -k1,1n | awk '$2 == "load" || $2 == "store" || $2 == "atomic" {
  n = length($3)
  if (n < 8 || (n == 8 && $3 < "30000000")) $3 = "constant"
  else if ($3 ~ /^7ffff[ef]/) $3 = "stack"
} { print }'`;

export interface Comparison {
  readonly records: number;
  readonly fault?: string;
}

/** `programs` have one name in two folders: what a program is called is data to it. */
export function compareBothWays(programs: readonly string[], words: readonly string[]): Comparison {
  const texts = programs.map((program) => {
    const [name, folder] = [basename(program), dirname(program)];
    run(['bash', '-c', `cd "${folder}" && "${DPROF}" record -o text:${name}.text -- "./$@" && <${name}.text ${NORMAL} >${name}.normal && rm ${name}.text`, 'bash', name, ...words]);
    return `${program}.normal`;
  });
  const { stdout } = spawnSync('cmp', texts, { encoding: 'utf8' });
  const records = Number(run(['wc', '-l', texts[0]]).split(' ')[0]);
  for (const text of texts) rmSync(text);
  return { records, fault: stdout.trim() || (records === 0 ? 'nothing was recorded' : undefined) };
}

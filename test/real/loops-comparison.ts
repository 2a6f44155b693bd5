// Stage: test. One program compiled with loops recorded once and without -> whether both recordings say the same.
import { spawnSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { DPROF, ROOT, run } from './real-program.js';

export const EXAMPLES: readonly string[] = readdirSync(resolve(ROOT, 'examples'), { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.c(pp)?$/.test(file) && !file.startsWith('sink')).map((file) => `examples/${file}`).toSorted();

export const BOTH_WAYS = [
  { suffix: 'each', environment: ['DPROF_LOOPS=0'] },
  { suffix: 'once', environment: ['DPROF_LOOPS=1'] },
] as const;

/** Variables, and with them the heap behind, begin at one address in both, whatever the code before takes. */
export const LAYOUT = ['-fno-pie', '-no-pie', '-Wl,-Tdata=0x30000000'];

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

export function compareBothWays(programs: readonly string[], words: readonly string[], folder: string): Comparison {
  const texts = programs.map((program) => {
    const text = resolve(folder, `text-${basename(program)}`);
    run([DPROF, 'record', '-o', `text:${text}`, '--', program, ...words]);
    run(['bash', '-c', `${NORMAL} <"${text}" >"${text}.normal" && rm "${text}"`]);
    return `${text}.normal`;
  });
  const { stdout } = spawnSync('cmp', texts, { encoding: 'utf8' });
  const records = Number(run(['wc', '-l', texts[0]]).split(' ')[0]);
  for (const text of texts) rmSync(text);
  return { records, fault: stdout.trim() || (records === 0 ? 'nothing was recorded' : undefined) };
}

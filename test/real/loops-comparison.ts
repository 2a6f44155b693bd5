// Stage: test. One program compiled with loops recorded once and without -> whether both recordings say the same.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { DPROF, DPROF_CC, ROOT, run, type Build } from './real-program.js';

/** Without those whose threads hand each other work: who gets what is another matter in each run. */
const UNLIKE_THEMSELVES = ['sink', 'locked-queue', 'producer-consumer', 'case-studies'];
/** Their files are no programs by themselves, and the guest of the first one switches its machine off. */
const SYSTEMS = ['linux-kernel', 'freertos'];
const LEFT_OUT = [...UNLIKE_THEMSELVES, ...SYSTEMS];

export const EXAMPLES: readonly string[] = readdirSync(resolve(ROOT, 'examples'), { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.c(pp)?$/.test(file) && !LEFT_OUT.includes(dirname(file).split('/')[0]))
  .map((file) => `examples/${file}`)
  .toSorted();

const BOTH_WAYS = [
  { suffix: 'each', environment: ['DPROF_LOOPS=0'] },
  { suffix: 'once', environment: ['DPROF_LOOPS=1'] },
] as const;

/**
 * Constants, variables and the heap behind begin at one address in both, whatever the code before takes: Lua, for one,
 * looks at addresses.
 */
const LAYOUT = ['-fno-pie', '-no-pie', '-Wl,--section-start=.rodata=0x20000000', '-Wl,-Tdata=0x30000000'];

/**
 * The text sink's records, thread by thread: whose, what, where, of what size and type, from which line. Of those on
 * the stack, and in constants that lie before the variables, not where. How threads met, and what the process was
 * called, is another matter in each run.
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

/** Both have one name, in folders of `scratch`: what a program is called is data to it. */
export function compareBothWays(build: Build, name: string, words: readonly string[], scratch: string): Comparison {
  const texts = BOTH_WAYS.map(({ suffix, environment }) => {
    const folder = resolve(scratch, suffix);
    mkdirSync(folder, { recursive: true });
    run(['env', ...environment, ...build(DPROF_CC, resolve(folder, name), ['-g1', ...LAYOUT])]);
    run([
      'bash',
      '-c',
      `cd "${folder}" && "${DPROF}" record -o text:${name}.text -- "./$@" && <${name}.text ${NORMAL} >${name}` +
        `.normal && rm ${name}.text`,
      'bash',
      name,
      ...words,
    ]);
    return resolve(folder, `${name}.normal`);
  });
  const { stdout } = spawnSync('cmp', texts, { encoding: 'utf8' });
  const records = Number(run(['wc', '-l', texts[0]]).split(' ')[0]);
  for (const text of texts) rmSync(text);
  return { records, fault: stdout.trim() || (records === 0 ? 'nothing was recorded' : undefined) };
}

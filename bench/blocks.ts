// Stage: bench. Blocks whose cycles are published, and the basic blocks of the C library -> how right, how fast and how
// steady `dprof block` is. Run by `npm run bench -- blocks`. DPROF_BENCH_BLOCKS: how many blocks of the library.
// DPROF_BENCH_MARKDOWN=1: tables as the page has them.
import { spawnSync } from 'node:child_process';
import { cpus } from 'node:os';
import { assemble, cutFunction } from '../src/blocks/block-program.js';
import type { BlockAnswer } from '../src/blocks/block.js';
import { measureBlocks } from '../src/blocks/measure-blocks.js';
import { codesOf } from '../src/cli/elf-symbols.js';
import { requireNative } from '../src/cli/installation.js';
import { KNOWN_BLOCKS, type Microarchitecture } from './known-blocks.js';
import { nameMachine } from './machine-name.js';
import { spellTable } from './spell-table.js';

const LIBRARY = '/lib/x86_64-linux-gnu/libc.so.6';
const CLOSE = 0.05;
const STEADY = 0.02;
const LONGEST_SHOWN = 50;
const MOST_BLOCKS = Number(process.env.DPROF_BENCH_BLOCKS ?? 5000);

const GOLDEN_COVE = [143, 151, 154, 183, 186, 191, 207];
const SKYLAKE = [78, 85, 94, 142, 158, 165, 166];

const program = requireNative('blocks');

/** undefined: none of those that the table has. */
function microarchitecture(): Microarchitecture | undefined {
  const { stdout } = spawnSync('lscpu', { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C' } });
  const field = (name: string): string => new RegExp(`^${name}:\\s*(.*)$`, 'm').exec(stdout)?.[1] ?? '';
  const model = Number(field('Model'));
  if (field('Vendor ID') === 'AuthenticAMD') return field('CPU family') === '25' ? 'zen3' : undefined;
  if (field('Vendor ID') !== 'GenuineIntel' || field('CPU family') !== '6') return undefined;
  return GOLDEN_COVE.includes(model) ? 'goldenCove' : SKYLAKE.includes(model) ? 'skylake' : undefined;
}

async function compareKnown(which: Microarchitecture): Promise<string> {
  const known = KNOWN_BLOCKS.filter((block) => block[which] !== undefined);
  const hexes = known.map(({ assembly }) => assemble(program, `${assembly}\n`, false).hex);
  const answers = await measureBlocks(program, hexes);
  const rows: string[][] = [];
  let close = 0;
  for (const [index, { assembly, source, ...published }] of known.entries()) {
    const expected = published[which]!;
    const { cycles, status, reason } = answers[index];
    const error = cycles === null ? undefined : (cycles - expected) / expected;
    if (error !== undefined && Math.abs(error) <= CLOSE) close++;
    rows.push([
      shorten(assembly.replaceAll('\n', '; ')),
      String(expected),
      which === 'goldenCove' ? source : '',
      cycles === null ? `${status}: ${reason}` : cycles.toFixed(3),
      error === undefined ? '' : `${(error * 100).toFixed(1)} %`,
    ]);
  }
  const shares = `${close} of ${known.length} (goal: 55 of 60)`;
  const table = spellTable(['block', 'published', 'source', 'measured', 'error'], rows);
  return `${table}\nwithin 5 % of what is published for ${which}: ${shares}\n`;
}

function shorten(text: string): string {
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN - 1)}…` : text;
}

function libraryBlocks(): string[] {
  const { stdout } = spawnSync('nm', ['-D', '--defined-only', LIBRARY], { encoding: 'utf8', maxBuffer: 1 << 28 });
  const names = [...stdout.matchAll(/^[0-9a-f]+ [TW] ([^@\s]+)/gm)].map(([, name]) => name);
  const codes = codesOf(LIBRARY, [...new Set(names)]) ?? [];
  const hexes = new Set<string>();
  for (const found of codes) {
    if (found === null || found.code === '') continue;
    for (const { hex } of cutFunction(program, found.code)) hexes.add(hex);
    if (hexes.size >= MOST_BLOCKS) break;
  }
  return [...hexes].slice(0, MOST_BLOCKS);
}

function countOutcomes(answers: readonly BlockAnswer[]): string {
  const counts = new Map<string, number>();
  for (const { status, reason } of answers) {
    const outcome = reason === null ? status : `${status}: ${reason}`;
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  }
  const rows: string[][] = [];
  for (const [outcome, count] of [...counts].sort(([, a], [, b]) => b - a))
    rows.push([outcome, String(count), `${((count / answers.length) * 100).toFixed(2)} %`]);
  rows.push(['all', String(answers.length), '100 %']);
  return spellTable(['outcome', 'blocks', 'share'], rows);
}

process.stdout.write(`${nameMachine()}\n`);
const which = microarchitecture();
process.stdout.write(
  which === undefined ? `nothing published is known of ${cpus()[0].model}\n` : await compareKnown(which),
);
const hexes = libraryBlocks();
const started = performance.now();
const first = await measureBlocks(program, hexes);
const seconds = (performance.now() - started) / 1000;
const second = await measureBlocks(program, hexes);
const both = first.flatMap(({ cycles }, index) => {
  const again = second[index].cycles;
  return cycles === null || again === null ? [] : [[cycles, again] as const];
});
const steady = both.filter(([a, b]) => Math.abs(a - b) <= STEADY * Math.max(a, b)).length;
process.stdout.write(
  `\n${hexes.length} basic blocks of ${LIBRARY}, the first of those that differ\n${countOutcomes(first)}\n` +
    `${(hexes.length / seconds).toFixed(0)} blocks a second (goal: 400)\n` +
    `within 2 % when measured again: ${steady} of ${both.length}, ` +
    `${((steady / both.length) * 100).toFixed(1)} % (goal: 95 %)\n`,
);

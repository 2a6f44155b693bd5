// Stage: bench. Basic blocks of Debian's programs -> the tables of docs/blocks.md, "On blocks of real programs". Run by
// `npm run bench -- block-tables`. DPROF_BENCH_BLOCKS: how many at most. DPROF_BENCH_MARKDOWN=1: tables as the page has
// them.
import { mkdirSync, readFileSync } from 'node:fs';
import type { BlockAnswer } from '../src/blocks/block.js';
import { hasLlvmMca, predictWithLlvmMca } from '../src/blocks/llvm-mca.js';
import { measureBlocks } from '../src/blocks/measure-blocks.js';
import { requireNative } from '../src/cli/installation.js';
import { ablationTable, convolutions, type AblatedBlock } from './block-ablation.js';
import { debianBlocks, type FoundBlock } from './debian-blocks.js';
import { nameMachine } from './machine-name.js';
import { modelTable, pairsOf, worstTable, type Pair } from './model-errors.js';
import { writeModelPlots } from './model-plots.js';
import { predictWithOsaca } from './osaca.js';
import { spellTable } from './spell-table.js';
import { formatPercent } from './statistics.js';

const MOST_BLOCKS = Number(process.env.DPROF_BENCH_BLOCKS ?? 25_000);
const L1I_BYTES = 32 << 10;
const NAIVE_COPIES = 100;
const OSACA_BLOCKS = 3000; // it takes long
/** gzip's updcrc: a table's entry is read, at eight bytes an index, behind a shift by eight. */
const UPDCRC = [/^\s*shrq\s+\$8, %r/, /^\s*xorq\s+\(%r\w+,%r\w+,8\), %r/];

/** Emerald Rapids has the same cores. */
function isSapphireRapids(): boolean {
  return /^model\s*:\s*(143|207)$/m.test(readFileSync('/proc/cpuinfo', 'utf8'));
}

function outcomeTable(answers: readonly BlockAnswer[]): string {
  const counts = new Map<string, number>();
  for (const { status, reason } of answers) {
    const outcome = reason === null ? status : `${status}: ${reason}`;
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  }
  const rows = [...counts].sort(([, a], [, b]) => b - a);
  const cells = [...rows, ['all', rows.reduce((sum, [, count]) => sum + count, 0)] as const].map(([name, count]) => [
    name,
    String(count),
    formatPercent(count, answers.length),
  ]);
  return spellTable(['outcome', 'blocks', 'share'], cells);
}

function sourceTable(blocks: readonly FoundBlock[], found: ReadonlyMap<string, number>): string {
  const rows = [...found].map(([source, different]) => {
    const own = answers.filter((_, index) => blocks[index].source === source);
    const done = own.filter(({ status }) => status === 'measured').length;
    return [source, String(different), String(own.length), String(done), formatPercent(done, own.length)];
  });
  return spellTable(['source', 'different blocks', 'taken', 'measured', 'share'], rows);
}

/** Of a block that is measured, 100 copies are too many if they do not fit the first cache of code. */
function stepsTable(): string {
  const done = answers.filter(({ status }) => status === 'measured');
  const naive = done.filter(({ hex, naive }) => naive !== null && (hex.length / 2) * NAIVE_COPIES <= L1I_BYTES);
  const bare = naive.filter(({ pages }) => pages === 0);
  const row = (name: string, some: readonly BlockAnswer[], bhive: string): string[] => [
    name,
    String(some.length),
    formatPercent(some.length, answers.length),
    bhive,
  ];
  return spellTable(
    ['what is done', 'blocks', 'share', 'BHive'],
    [
      row('100 copies, no page mapped', bare, '16.65 %'),
      row('100 copies, every page mapped onto one', naive, '91.28 %'),
      row('two numbers of copies as well', done, '94.24 %'),
    ],
  );
}

/** Of gzip the first such loop: another function has a copy of it, with other registers. */
function ablatedBlocks(): AblatedBlock[] {
  const loop = answers.find(({ assembly }) => UPDCRC.every((rule) => assembly.some((line) => rule.test(line))));
  return [...(loop ? [{ name: "gzip's updcrc", hex: loop.hex }] : []), ...convolutions(program)];
}

const program = requireNative('blocks');
const folder = 'build/bench/debian-blocks';
mkdirSync(folder, { recursive: true });
process.stderr.write('reading blocks ...\n');
const { blocks, found } = debianBlocks(program, folder, MOST_BLOCKS);
process.stderr.write(`measuring ${blocks.length} ...\n`);
const started = performance.now();
const answers = await measureBlocks(
  program,
  blocks.map(({ hex }) => hex),
);
const seconds = (performance.now() - started) / 1000;
const say = (text: string): void => void process.stdout.write(`${text}\n\n`);
say(`${nameMachine()}\n${(blocks.length / seconds).toFixed(0)} blocks a second, ${seconds.toFixed(0)} s`);
for (const table of [
  sourceTable(blocks, found),
  outcomeTable(answers),
  stepsTable(),
  ablationTable(program, ablatedBlocks()),
])
  say(table);
const done = answers.filter(({ cycles }) => cycles !== null && cycles > 0);
const models = new Map<string, readonly Pair[]>();
async function compareModel(
  model: string,
  some: readonly BlockAnswer[],
  predict: (blocks: readonly (readonly string[])[]) => Promise<(number | undefined)[] | undefined>,
): Promise<void> {
  const predictions = await predict(some.map(({ assembly }) => assembly));
  if (predictions === undefined) return say(`${model}: left out`);
  const pairs = pairsOf(some, predictions);
  models.set(model, pairs);
  say(`${model} knows ${pairs.length} of ${some.length}`);
  say(modelTable(pairs));
  say(worstTable(pairs, model));
}

await compareModel('llvm-mca', done, async (blocks) =>
  hasLlvmMca() ? (await predictWithLlvmMca(blocks)).map((prediction) => prediction?.cycles) : undefined,
);
const every = Math.ceil(done.length / OSACA_BLOCKS);
const fewer = done.filter((_, index) => index % every === 0);
await compareModel('OSACA', fewer, async (blocks) =>
  isSapphireRapids() ? predictWithOsaca(blocks, 'SPR', 'build/bench/osaca') : undefined,
);
// The plots of docs/blocks.md.
const plots = process.env.DPROF_BENCH_MARKDOWN === '1' ? 'docs/plots' : folder;
await writeModelPlots(plots, models);
process.stderr.write(`plots are in ${plots}\n`);

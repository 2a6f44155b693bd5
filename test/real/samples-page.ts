// Stage: test. What was drawn from real programs, as docs/plots keeps it -> the tables and plots of
// docs/how-many-samples.md.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Resampling, SamplerReport } from '../../src/hardware/validate/resample.js';
import { measuresOf, TEN_TIMES } from '../../src/hardware/validate/resample.js';
import type { Accuracy, Measure } from '../../src/hardware/validate/sampled-shares.js';
import { MEASURE_TEXT, points } from '../../src/hardware/report/resample-words.js';
import { formatCount } from '../../src/base/format-number.js';
import { ROOT } from './real-program.js';

export const PAGE = resolve(ROOT, 'docs/how-many-samples.md');
export const PLOTS = resolve(ROOT, 'docs/plots');
export const DRAWINGS = ['sqlite', 'memcached'] as const;
export type DrawnProgram = (typeof DRAWINGS)[number];
export const PROGRAM_TITLES: Readonly<Record<DrawnProgram, string>> = { sqlite: 'SQLite', memcached: 'memcached' };
/** The one that draws as CachePerf does. */
const CACHEPERF = 'cacheperf';

export interface Drawing {
  /** 100,000 of each sampler. */
  readonly bySamples: Resampling;
  /** At CachePerf's default periods. */
  readonly byPeriod: SamplerReport;
}

const fileOf = (name: DrawnProgram): string => resolve(PLOTS, `${name}.json`);

/** Five digits of what is no count; names of files are of the machine. */
export function writeDrawing(name: DrawnProgram, drawn: Resampling, atDefault: Resampling): void {
  const drawing: Drawing = {
    bySamples: { ...drawn, trace: `${name}.dptrace` },
    byPeriod: samplerOf(atDefault, CACHEPERF),
  };
  mkdirSync(PLOTS, { recursive: true });
  writeFileSync(
    fileOf(name),
    JSON.stringify(drawing, (_, value: unknown) =>
      typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(5)) : value,
    ) + `\n`,
  );
}

export function drawingsOf(): [DrawnProgram, Drawing][] {
  return DRAWINGS.map((name) => [name, JSON.parse(readFileSync(fileOf(name), 'utf8')) as Drawing]);
}

export function writeTables(): void {
  writeFileSync(PAGE, fillTables(readFileSync(PAGE, 'utf8'), drawingsOf()));
}

/** Between "<!-- NAME -->" and "<!-- end -->" stands what a table of that name says. */
export function fillTables(page: string, drawings: readonly (readonly [DrawnProgram, Drawing])[]): string {
  return page.replace(/<!-- ([a-z]+(?:-[a-z]+)*) -->\n[\s\S]*?<!-- end -->/g, (_, name: string) => {
    const make = TABLES[name];
    if (make === undefined)
      throw new Error(`${PAGE} asks for a table '${name}'; there are ${Object.keys(TABLES).join(', ')}`);
    return `<!-- ${name} -->\n${make(drawings)
      .map((cells) => `| ${cells.join(' | ')} |`)
      .join('\n')}\n<!-- end -->`;
  });
}

type Rows = readonly (readonly string[])[];
type Drawings = readonly (readonly [DrawnProgram, Drawing])[];

/** Words to the left, numbers to the right. */
const line = (cells: readonly string[], wordColumns = 1): string[] =>
  cells.map((_, index) => (index < wordColumns ? '---' : '--:'));
const samplerOf = ({ samplers }: Resampling, name: string): SamplerReport =>
  samplers.find(({ sampler }) => sampler === name)!;
const at = ({ curve }: SamplerReport, oneIn: number): Readonly<Record<Measure, Accuracy>> =>
  curve.find((point) => point.oneIn === oneIn)!.measures;

function accuracies(measures: readonly Measure[]): (drawings: Drawings) => Rows {
  return (drawings) => {
    const told = ['samples', 'worst', 'rank', 'lost', 'ten times: samples', 'worst', 'rank', 'lost'];
    const head = [
      '',
      ...measures.flatMap((measure) =>
        told.map((word, index) => (index === 0 ? `${MEASURE_TEXT[measure]}: ${word}` : word)),
      ),
    ];
    const rows = drawings.flatMap(([name, { bySamples }]) =>
      bySamples.samplers.map((own, index) => [
        `${index === 0 ? `${PROGRAM_TITLES[name]}, ` : ''}\`${own.sampler}\``,
        ...measures.flatMap((measure) =>
          [1, TEN_TIMES].flatMap((oneIn) => {
            const { samples, worstPoints, rankCorrelation, lost } = at(own, oneIn)[measure];
            return [formatCount(samples), points(worstPoints), points(rankCorrelation), String(lost.length)];
          }),
        ),
      ]),
    );
    return [head, line(head), ...rows];
  };
}

interface Condition {
  readonly heading: string;
  readonly of: (drawing: Drawing) => SamplerReport;
  readonly oneIn: number;
}

const CONDITIONS: readonly Condition[] = [
  { heading: 'default periods', of: ({ byPeriod }) => byPeriod, oneIn: 1 },
  { heading: 'ten times', of: ({ byPeriod }) => byPeriod, oneIn: TEN_TIMES },
  { heading: 'longer run', of: ({ bySamples }) => samplerOf(bySamples, CACHEPERF), oneIn: 1 },
  { heading: 'ten times', of: ({ bySamples }) => samplerOf(bySamples, CACHEPERF), oneIn: TEN_TIMES },
];

/** How many findings CachePerf's sampling shows, and of how many samples. */
function found(drawings: Drawings): Rows {
  const head = ['findings found', 'of', ...CONDITIONS.map(({ heading }) => heading)];
  const rows = drawings.flatMap(([name, drawing]) => [
    [
      `**${PROGRAM_TITLES[name]}**, ${formatCount(drawing.bySamples.exact.references)} references: samples`,
      '',
      ...CONDITIONS.map(({ of, oneIn }) => formatCount(at(of(drawing), oneIn).references.samples)),
    ],
    ...measuresOf(drawing.bySamples).map((measure) => {
      const all = drawing.bySamples.rows.filter((row) => row.measure === measure).length;
      return [
        `by ${MEASURE_TEXT[measure]}`,
        String(all),
        ...CONDITIONS.map(({ of, oneIn }) => {
          const { samples, lost } = at(of(drawing), oneIn)[measure];
          return (
            `${all - lost.length}` +
            (measure === 'references' || measure === 'cycles'
              ? ''
              : ` (${formatCount(samples)} ` + `${samples === 1 ? 'sample' : 'samples'})`)
          );
        }),
      ];
    }),
  ]);
  return [head, line(head), ...rows];
}

function findings(name: DrawnProgram): (drawings: Drawings) => Rows {
  return (drawings) => {
    const [, drawing] = drawings.find(([one]) => one === name)!;
    const head = ['type', 'by', 'exact share', ...CONDITIONS.map(({ heading }) => heading)];
    const rows = drawing.bySamples.rows.map(({ type, measure, exactPercent }) => [
      `\`${type.replaceAll('|', '\\|')}\``,
      MEASURE_TEXT[measure],
      `${exactPercent.toFixed(1)} %`,
      ...CONDITIONS.map(({ of, oneIn }) =>
        at(of(drawing), oneIn)[measure].lost.includes(type) ? '**lost**' : 'found',
      ),
    ]);
    return [head, line(head, 2), ...rows];
  };
}

const TABLES: Readonly<Record<string, (drawings: Drawings) => Rows>> = {
  accuracy: accuracies(['references']),
  'accuracy-misses': accuracies(['misses']),
  found,
  'findings-sqlite': findings('sqlite'),
  'findings-memcached': findings('memcached'),
};

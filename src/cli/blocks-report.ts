// Stage: command line. `dprof report --view blocks`: a replay, the trace's counts, the machine code of the program's
// files, and what each block of it costs when it runs alone.

import { basename } from 'node:path';
import { isatty } from 'node:tty';
import { DprofError } from '../base/dprof-error.js';
import type { CountedBlock } from '../blocks/block-executions.js';
import type { Catalog } from '../contract/catalog.js';
import type { OpenedTrace } from '../replay/open-trace.js';
import { tallyTypes } from '../profile/tally-types.js';
import { renderBlocks } from '../report/blocks-text.js';
import { renderJson } from '../report/json.js';
import { chooseStyle } from '../report/text-style.js';
import { costBlocks, type BlockCost, type CountedFunction } from '../views/block-costs.js';
import { buildBlocks, coverageOf, type Blocks } from '../views/blocks.js';
import { hoppedTypes } from '../views/run-time.js';
import { addAssembly } from './block-assembly.js';
import { codeOfFiles } from './code-of-files.js';
import type { CountedCode } from './counted-code.js';
import type { ReplayRequest } from './machine-options.js';
import { priceTrace, type PricedCode } from './priced-code.js';
import { machinesFor, openFor, replayOnMachines } from './replay-trace.js';
import { checkTop, FILTER_FLAGS, type ReportFlags, type RowFlags } from './report-options.js';
import type { LocatedCode } from '../hardware/validate/places-of-samples.js';
import { StandardOutput } from './standard-output.js';
import { nameTraces, withTraceFiles } from './trace-source.js';

export async function reportBlocks(
  files: readonly string[],
  request: ReplayRequest,
  flags: Pick<ReportFlags, 'format' | 'top'> & RowFlags,
): Promise<void> {
  const { format, top } = flags;
  checkTop(top);
  refuseRowFlags(flags);
  const view = await withTraceFiles(files, async (paths) => {
    refuseSeveral(request);
    const trace = openFor(paths, request);
    return blocksOf(trace, await priceTrace(trace, request), nameTraces(files), request);
  });
  const output = new StandardOutput();
  if (format === 'json') for (const part of renderJson(view)) output.write(part);
  else
    output.write(
      renderBlocks(view, { top: Number(top), style: chooseStyle(isatty(1) ? process.stdout : {}, process.env) }),
    );
  output.flush();
}

function refuseRowFlags(flags: Pick<ReportFlags, 'format'> & RowFlags): void {
  if (flags.format === 'csv') throw new DprofError('--view blocks has no csv', 'give --format text or json', 2);
  const others = { ...FILTER_FLAGS, by: '--by', sort: '--sort', level: '--level', callPath: '--call-path' } as const;
  for (const [name, flag] of Object.entries(others))
    if (flags[name as keyof typeof others] !== undefined)
      throw new DprofError(`${flag} is not for blocks, which have one order`, 'choose rows of --format json', 2);
}

/** They would be of other counts each. */
export function refuseSeveral({ schedules, machines }: ReplayRequest): void {
  if (schedules !== undefined || machines.length > 1)
    throw new DprofError(
      '--view blocks is of a run on one machine, under one schedule',
      'leave out --schedules and all --machine but one',
      2,
    );
}

/** `named`: the traces, as the user calls them. */
export async function blocksOf(
  trace: OpenedTrace,
  code: PricedCode,
  named: string,
  request: ReplayRequest,
): Promise<Blocks> {
  const [machine] = machinesFor(trace, request.machines);
  const [{ tallies, types, profile, hopped }] = await replayOnMachines(
    trace,
    [machine],
    request,
    named,
    (profile, _index, result) => ({
      tallies: result.tallies,
      types: tallyTypes(result, trace.catalog),
      profile,
      hopped: hoppedTypes(profile),
    }),
  );
  const { functions, executed, unread, recordedInstructions, countedInstructions, priceOf } = code;
  const costs = costBlocks(executed, trace.catalog, { tallies, types }, machine, priceOf, (type) => hopped.has(type));
  const coverage = coverageOf(functions, {
    unread,
    recorded: recordedInstructions,
    countedRecorded: countedInstructions,
  });
  return addAssembly(buildBlocks(profile, costs, coverage, (costly) => sitesOf(executed, costly, trace.catalog)));
}

/** FILE:LINE of each; null: nobody knows. */
function sitesOf(functions: readonly CountedCode[], costs: readonly BlockCost[], catalog: Catalog): (string | null)[] {
  const offset = new Map<CountedFunction, number>(functions.map((one) => [one, one.offset]));
  const placeIn = ({ of, block }: BlockCost): number => block.address + offset.get(of)!;
  const sites = linesOf(costs.map((cost) => ({ file: cost.of.file, offsets: [placeIn(cost)] }))).map(
    (line, row) => line ?? siteOfRecords(costs[row].block, catalog),
  );
  const left = [...costs.keys()].filter((row) => sites[row] === null);
  const further = left.map((row) => {
    const bytes = costs[row].block.code.length / 2;
    return { file: costs[row].of.file, offsets: Array.from({ length: bytes }, (_, at) => placeIn(costs[row]) + at) };
  });
  for (const [index, line] of linesOf(further).entries()) sites[left[index]] = line;
  return sites;
}

/** Of the first of the offsets that belongs to a line. */
function linesOf(asked: readonly { readonly file: string; readonly offsets: readonly number[] }[]): (string | null)[] {
  const places = new Map<string, LocatedCode['places'][number][]>(); // of a file, in the order in which they are asked
  const files = [...new Set(asked.map(({ file }) => file))];
  const offsetsIn = (of: string): string[] =>
    asked.flatMap(({ file, offsets }) => (file === of ? offsets.map((at) => at.toString(16)) : []));
  const located = codeOfFiles(files.map((file) => ({ file, offsets: offsetsIn(file) })));
  for (const [index, file] of files.entries()) places.set(file, [...located[index].places]);
  return asked.map(({ file, offsets }) => {
    const known = places
      .get(file)!
      .splice(0, offsets.length)
      .find(({ line }) => line > 0);
    return known === undefined ? null : `${basename(known.file)}:${known.line}`;
  });
}

/** Of a block whose first instruction belongs to no line: the first access in it. Without one, any instruction. */
function siteOfRecords({ records: own }: CountedBlock, { records, slots }: Catalog): string | null {
  for (const record of own)
    for (let slot = records.firstSlot[record]; slot < records.firstSlot[record] + records.slotCount[record]; slot++)
      if (slots.line[slot] > 0) return `${basename(slots.file[slot])}:${slots.line[slot]}`;
  return null;
}

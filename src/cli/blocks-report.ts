// Stage: command line. `dprof report --view blocks`: a replay, the trace's counts, the machine code of the program's
// files, and what each block of it costs when it runs alone.

import { basename } from 'node:path';
import { isatty } from 'node:tty';
import { DprofError } from '../base/dprof-error.js';
import { countBlocks, type CountedBlock } from '../blocks/block-executions.js';
import { countExecutions } from '../blocks/record-executions.js';
import { unitRecords } from '../blocks/unit-records.js';
import type { Catalog } from '../contract/catalog.js';
import type { ReplayResult } from '../contract/result.js';
import type { Profile } from '../profile/profile.js';
import { replayInput, type OpenedTrace } from '../replay/open-trace.js';
import { renderBlocks } from '../report/blocks-text.js';
import { renderJson } from '../report/json.js';
import { chooseStyle } from '../report/text-style.js';
import { costBlocks, type BlockCost, type CountedFunction } from '../views/block-costs.js';
import { buildBlocks, coverageOf, type Blocks } from '../views/blocks.js';
import { priceBlocks } from './block-prices.js';
import { readCode } from './code-blocks.js';
import { codeOfFiles } from './code-of-files.js';
import type { ReplayRequest } from './machine-options.js';
import { machinesFor, openFor, replayOnMachines } from './replay-trace.js';
import { checkTop, type ReportFlags } from './report-options.js';
import { StandardOutput } from './standard-output.js';
import { nameTraces, withTraceFiles } from './trace-source.js';

export async function reportBlocks(
  files: readonly string[],
  request: ReplayRequest,
  { format, top }: Pick<ReportFlags, 'format' | 'top'>,
): Promise<void> {
  checkTop(top);
  const view = await withTraceFiles(files, (paths) => blocksOf(paths, nameTraces(files), request));
  const output = new StandardOutput();
  if (format === 'json') for (const part of renderJson(view)) output.write(part);
  else
    output.write(
      renderBlocks(view, { top: Number(top), style: chooseStyle(isatty(1) ? process.stdout : {}, process.env) }),
    );
  output.flush();
}

async function blocksOf(paths: readonly string[], named: string, request: ReplayRequest): Promise<Blocks> {
  if (request.window !== undefined || request.schedules !== undefined || request.machines.length > 1)
    throw new DprofError(
      '--view blocks is of a whole run, on one machine and under one schedule',
      'leave out --from, --to, --schedules and all --machine but one',
      2,
    );
  const trace = openFor(paths, request);
  if (trace.processes !== undefined)
    throw new DprofError('--view blocks is of one process', 'name the trace of one', 2);
  const [machine] = machinesFor(trace, request.machines);
  const { functions, unread } = await functionsOf(trace, request);
  const [{ result, profile }] = await replayOnMachines<{ result: ReplayResult; profile: Profile }>(
    trace,
    [machine],
    request,
    named,
    (profile, _index, result) => ({ result, profile }),
  );
  const executed = functions.map((one) => ({
    ...one,
    blocks: one.blocks.filter(({ executions }) => executions !== 0),
  }));
  const priceOf = await priceBlocks(executed.flatMap(({ blocks }) => blocks));
  const costs = costBlocks(executed, trace.catalog, result.tallies, machine, priceOf);
  return buildBlocks(profile, costs, coverageOf(functions, unread), (costly) =>
    sitesOf(functions, costly, trace.catalog),
  );
}

async function functionsOf(
  trace: OpenedTrace,
  request: ReplayRequest,
): Promise<{ functions: (CountedFunction & { offset: number })[]; unread: string[] }> {
  const [machine] = machinesFor(trace, request.machines);
  const counts = await countExecutions(replayInput(trace, machine, request.schedule), request.engine);
  const first = unitRecords(trace.modules);
  const unread: string[] = [];
  const functions = trace.modules.flatMap(({ path }, module) => {
    const code = readCode(path) ?? [];
    if (code.length === 0) unread.push(path);
    return code.flatMap((one) => {
      const blocks = countBlocks(one, first[module], counts);
      return blocks === null
        ? []
        : [{ function: one.name, file: path, blocks, offset: one.offset - one.address } as const];
    });
  });
  if (functions.length === 0)
    throw new DprofError(
      `${trace.path}: nothing says which machine code its records are of`,
      'compile the program with dprof-cc -fdprof-blocks, and record it again (docs/program-blocks.md)',
    );
  return { functions, unread };
}

/** FILE:LINE of each. */
function sitesOf(
  functions: readonly (CountedFunction & { readonly offset: number })[],
  costs: readonly BlockCost[],
  catalog: Catalog,
): (string | null)[] {
  const key = (of: Pick<CountedFunction, 'file' | 'function'>): string => `${of.file}\n${of.function}`;
  const offset = new Map(functions.map((one) => [key(one), one.offset]));
  const asked = costs.map((cost) => ({
    file: cost.file,
    offsets: [(cost.block.address + offset.get(key(cost))!).toString(16)],
  }));
  return codeOfFiles(asked).map(({ places: [{ file, line }] }, row) =>
    line > 0 ? `${basename(file)}:${line}` : siteOfRecords(costs[row].block, catalog),
  );
}

/** Of a block whose first instruction belongs to no line: the first access in it. */
function siteOfRecords({ records: own }: CountedBlock, { records, slots }: Catalog): string | null {
  for (const record of own)
    for (let slot = records.firstSlot[record]; slot < records.firstSlot[record] + records.slotCount[record]; slot++)
      if (slots.line[slot] > 0) return `${basename(slots.file[slot])}:${slots.line[slot]}`;
  return null;
}

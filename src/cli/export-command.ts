// Stage: command line. `dprof export`: a trace or a profile to a file that another viewer opens.

import { Option, type Command } from 'commander';
import { DprofError } from '../base/dprof-error.js';
import { openOutput } from '../base/output-file.js';
import { EXPORT_FORMATS, EXPORT_NAMES, type ExportFormat } from '../exports/formats.js';
import { MEASURE_NAMES, MEASURES } from '../exports/samples.js';
import { requireNames } from '../views/row-filter.js';
import { withFrames } from '../views/frames.js';
import { FLOW_VIEWS, VIEW_NAMES, type ViewName } from '../views/views.js';
import { DATASET_COLUMNS, exportDataset } from './dataset-export.js';
import { addFlowFlags, parseFlowFlags, type FlowFlags } from './flow-options.js';
import { addWindowedReplayFlags, onlyMachine, parseReplayFlags, type ReplayFlags } from './machine-options.js';
import { refuseOwnInput } from './own-input.js';
import { openProfiles } from './open-profiles.js';
import { addRowFlags, checkRowFlags, FILTER_FLAGS, filterOf, type RowFlags } from './report-options.js';
import { TRACES } from './trace-source.js';
import { FILTERS } from '../views/view.js';
import { collectWords } from './repeated-option.js';

interface ExportFlags extends ReplayFlags, RowFlags, FlowFlags {
  readonly output: string;
  readonly view?: ViewName;
  readonly measure?: string;
  readonly columns?: string;
  readonly where: readonly string[];
  readonly chunk?: string;
}

const DEFAULT_MEASURE = 'l1-misses';

export function addExportCommand(program: Command): void {
  const command = program
    .command('export')
    .description('write a file that another viewer opens: KCachegrind, pprof, DuckDB, Spark ...')
    .argument('<files...>', `${TRACES}; or a profile; or samples (dprof sample), and histories`)
    .addOption(
      new Option('--to <format>', 'docs/exports.md').choices([...EXPORT_NAMES, 'dataset']).makeOptionMandatory(),
    )
    .requiredOption('-o, --output <file>', 'file to write; -: standard output')
    .addOption(new Option('--view <view>', 'view to write as csv, parquet or dot').choices(VIEW_NAMES))
    .addOption(new Option('--measure <name>', `weight of stacks (default: ${DEFAULT_MEASURE})`).choices(MEASURE_NAMES));
  const ofDatasets = [
    new Option('--columns <names>', `columns of rows (docs/stream.md; default: ${DATASET_COLUMNS.join(', ')})`),
    new Option('--where <condition>', 'only rows with this (dprof help stream)').argParser(collectWords).default([]),
    new Option('--chunk <instructions>', 'replay time that a file covers (default: 100M)'),
  ];
  for (const option of ofDatasets) command.addOption(option.helpGroup('Datasets (docs/datasets.md):'));
  // --to is a window's end elsewhere.
  addWindowedReplayFlags(addFlowFlags(addRowFlags(command)), { keepsProfiles: true }).action(
    async (files: readonly string[], { to, ...options }: ExportFlags & { readonly to: string }) => {
      if (to === 'dataset') return exportDataset(files, options);
      refuseDatasetFlags(to, options);
      refuseOwnInput(options.output, files);
      const format = EXPORT_FORMATS[to];
      checkFlags(to, options, format);
      const view = options.view ?? format.views[0] ?? 'data-profile';
      const request = {
        ...parseReplayFlags(options),
        flow: parseFlowFlags(options, {
          isWanted: FLOW_VIEWS.includes(view),
          isOneSchedule: options.schedules === undefined,
        }),
      };
      onlyMachine(request);
      const [opened] = await openProfiles(files, options, request);
      const profile = withFrames(opened, { libraries: options.library, innermost: options.innermost });
      const filter = filterOf(options);
      requireNames(profile, filter);
      const measure = MEASURES.find(({ name }) => name === (options.measure ?? DEFAULT_MEASURE))!;
      writeParts(
        format.write(profile, {
          view,
          measure,
          options: { by: options.by, sort: options.sort, level: options.level, ...filter },
        }),
        options.output,
      );
    },
  );
}

function refuseDatasetFlags(to: string, { columns, where, chunk }: ExportFlags): void {
  const given = [columns && '--columns', where.length > 0 && '--where', chunk && '--chunk'].find(Boolean);
  if (given) throw new DprofError(`${given} is not for --to ${to}`, 'it is of --to dataset', 2);
}

function checkFlags(to: string, flags: ExportFlags, { views, hasMeasure, filters, by: stacks }: ExportFormat): void {
  const { view, measure, by, sort, level } = flags;
  const refuse = (flag: string, hint: string): never => {
    throw new DprofError(`${flag} is not for --to ${to}`, hint, 2);
  };
  if (view !== undefined && !views.includes(view))
    refuse(`--view ${view}`, views.length === 0 ? 'leave it out: it is of no view' : `give --view ${views.join(', ')}`);
  if (flags.callPath) refuse('--call-path', 'leave it out: files have call paths where there are any');
  if (measure !== undefined && !hasMeasure) refuse('--measure', 'leave it out: all measures are written');
  if (views.length > 0) return checkRowFlags(flags, view ?? views[0]);
  const isBySite = by !== undefined && by === stacks;
  const ofRows = [['--by', isBySite ? undefined : by] as const, ['--sort', sort] as const, ['--level', level] as const];
  const given = ofRows.find(([, value]) => value !== undefined);
  if (given !== undefined) refuse(given[0], 'give --to csv or parquet');
  if (isBySite && measure === 'cycles')
    throw new DprofError('--measure cycles is not for --by site: no object counts hits', 'give miss-cycles', 2);
  for (const filter of FILTERS)
    if (flags[filter] !== undefined && !(isBySite ? ['type'] : filters).includes(filter))
      refuse(
        FILTER_FLAGS[filter],
        `it takes ${(isBySite ? (['type'] as const) : filters).map((name) => FILTER_FLAGS[name]).join(', ')}`,
      );
}

function writeParts(parts: Iterable<string | Uint8Array>, path: string): void {
  const output = openOutput(path, 'the export');
  try {
    for (const part of inBlocks(parts)) output.write(part);
    output.finish();
  } catch (error) {
    const failure = output.fail(error);
    throw (error as NodeJS.ErrnoException).code === undefined ? error : failure;
  }
}

const BLOCK_CHARACTERS = 1 << 16;

/** Formats hand out lines. */
function* inBlocks(parts: Iterable<string | Uint8Array>): Generator<Uint8Array> {
  let text = '';
  for (const part of parts) {
    if (typeof part === 'string') text += part;
    if (text !== '' && (typeof part !== 'string' || text.length >= BLOCK_CHARACTERS)) {
      yield Buffer.from(text);
      text = '';
    }
    if (typeof part !== 'string') yield part;
  }
  if (text !== '') yield Buffer.from(text);
}

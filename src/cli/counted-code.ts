// Stage: command line. A trace -> the machine code of its program's files, with how often each block ran.

import { DprofError } from '../base/dprof-error.js';
import { countBlocks, type CountedBlock } from '../blocks/block-executions.js';
import { innermostLoops } from '../blocks/innermost-loops.js';
import { joinLoads, loadedFiles, recordOfLoads, type LoadedFile } from '../blocks/loaded-files.js';
import { countExecutions, type RecordExecutions } from '../blocks/record-executions.js';
import type { CodeFunction } from '../blocks/machine-code.js';
import type { Catalog } from '../contract/catalog.js';
import { replayInput, type OpenedTrace } from '../replay/open-trace.js';
import type { UnreadFile } from '../views/blocks.js';
import { readCode } from './code-blocks.js';
import { codeOfFiles } from './code-of-files.js';
import type { ReplayRequest } from './machine-options.js';
import { machinesFor } from './replay-trace.js';
import { windowOf } from './replay-window.js';

/** A plain body, in an ELF file. */
export interface CountedCode {
  /** As other views call it, and as the linker spells it. */
  readonly function: string;
  readonly symbol: string;
  readonly file: string;
  /** Where it begins. */
  readonly address: number;
  readonly blocks: readonly CountedBlock[];
  /** Innermost ones of several blocks that ran, each with the block first at which an iteration begins. */
  readonly loops: readonly (readonly CountedBlock[])[];
  /** From addresses to places in the file: to be added. */
  readonly offset: number;
}

export interface ProgramCode {
  readonly functions: readonly CountedCode[];
  readonly unread: readonly UnreadFile[];
  /** Of the trace's records, which its clock counts: all, and those of blocks that are counted. */
  readonly recordedInstructions: number;
  readonly countedInstructions: number;
}

export type CodeRequest = Pick<ReplayRequest, 'machines' | 'schedule' | 'engine' | 'window'>;

/** Of the request's window. */
export async function codeOfTrace(trace: OpenedTrace, request: CodeRequest): Promise<ProgramCode> {
  const { catalog } = trace;
  const files = loadedFiles(trace.catalogModules ?? trace.modules);
  const { made, counted, before } = await countWindow(trace, files, request);
  const unread: UnreadFile[] = [];
  const builds = codeOfFiles(files.map(({ path }) => ({ file: path, offsets: [] })));
  const functions = files.flatMap((file, number) => {
    const { path, units } = file;
    const code = builds[number].found ? readCode(path) : undefined;
    const reason = whyUnread(file, builds[number], code);
    if (reason !== null) {
      unread.push({ file: path, reason });
      return [];
    }
    return code!.flatMap((one): CountedCode[] => {
      const own = countBlocks(one, units, counted, catalog.records, before);
      if (own === null) return [];
      const blocks = own.map((block) => ({
        ...block,
        records: block.records.flatMap((record) => recordOfLoads(file, record)),
      }));
      const { name: symbol, address, offset } = one;
      const called = nameOf(blocks, catalog) ?? symbol;
      const loops = innermostLoops(
        blocks.filter(({ executions }) => executions !== 0),
        one.targets,
      ).filter((loop) => loop.length > 1);
      return [{ function: called, symbol, file: path, address, blocks, loops, offset: offset - address }];
    });
  });
  if (functions.length === 0) throw refusalOf(trace, unread);
  const { instructions } = catalog.records;
  const sumOf = (records: Iterable<number>): number => {
    let sum = 0;
    for (const record of records) sum += made[record] * instructions[record];
    return sum;
  };
  const known = functions.flatMap(({ blocks }) => blocks.filter(({ executions }) => executions !== null));
  return {
    functions,
    unread,
    recordedInstructions: sumOf(made.keys()),
    countedInstructions: sumOf(new Set(known.flatMap(({ records }) => records))),
  };
}

interface CountedWindow {
  /** By record. */
  readonly made: Float64Array;
  /** Up to the window's end, and up to its begin; all programs that loaded a file together. */
  readonly counted: RecordExecutions;
  readonly before?: RecordExecutions;
}

async function countWindow(
  trace: OpenedTrace,
  files: readonly LoadedFile[],
  { machines, schedule, engine, window: asked }: CodeRequest,
): Promise<CountedWindow> {
  const [machine] = machinesFor(trace, machines);
  const input = replayInput(trace, machine, schedule);
  const { from, to } = asked === undefined ? {} : windowOf(trace, asked);
  const all = await countExecutions(input, engine, to);
  const counted = joinLoads(files, all);
  if (from === undefined) return { made: all.made, counted };
  const before = await countExecutions(input, engine, from);
  const made = all.made.map((times, record) => Math.max(0, times - before.made[record]));
  return { made, counted, before: joinLoads(files, before) };
}

/** null: it is the file that ran, and has probes. */
function whyUnread(
  { path, buildId, units }: LoadedFile,
  file: { readonly found: boolean; readonly buildId: string },
  code: readonly CodeFunction[] | undefined,
): UnreadFile['reason'] | null {
  if (!file.found) return path.startsWith('/') ? 'missing' : 'unknown-folder';
  if (buildId !== '' && buildId !== file.buildId) return 'built-anew';
  if (code === undefined) return 'unreadable';
  if (code.length === 0) return 'no-probes';
  // A file without a build id has other units if its source is another one.
  const isOther = buildId === '' && code.some(({ probes }) => probes.some(({ unit }) => !units.has(unit)));
  return isOther ? 'built-anew' : null;
}

function nameOf(blocks: readonly CountedBlock[], { records, functions }: Catalog): string | null {
  const [record] = blocks.flatMap((block) => block.records);
  return (record !== undefined && functions.name[records.function[record]]) || null;
}

function refusalOf({ path }: OpenedTrace, unread: readonly UnreadFile[]): DprofError {
  const anew = unread.filter(({ reason }) => reason === 'built-anew').map(({ file }) => file);
  if (anew.length > 0)
    return new DprofError(
      `${path}: built anew since it was recorded, so nothing says what its code was: ${anew.join(', ')}`,
      'record again; machine code is read from the files as they ran (docs/program-blocks.md)',
    );
  return new DprofError(
    `${path}: nothing says which machine code its records are of: no probes, or no symbols, in ` +
      unread.map(({ file }) => file).join(', '),
    'compile with dprof-cc -fdprof-blocks, record again, and keep the files as they ran (docs/program-blocks.md)',
  );
}

// Stage: command line. `dprof annotate`: source with misses beside each line, or a type's definition with misses beside
// each member.

import { isatty } from 'node:tty';
import { Option, type Command } from 'commander';
import { DprofError } from '../base/dprof-error.js';
import { LEVELS, type LevelName } from '../contract/machine.js';
import type { Profile } from '../profile/profile.js';
import { renderAnnotatedSource } from '../report/annotated-source-text.js';
import { renderAnnotatedType } from '../report/annotated-type-text.js';
import { allColumns, renderCsv } from '../report/csv.js';
import { renderJson } from '../report/json.js';
import { chooseStyle, type TextStyle } from '../report/text-style.js';
import { annotateSource, listSourceFiles } from '../views/annotated-source.js';
import { annotateType, MEMBER_SORTS, type MemberSort } from '../views/annotated-type.js';
import type { CodeCycles } from '../views/line-cycles.js';
import { requireNames } from '../views/row-filter.js';
import type { View } from '../views/view.js';
import {
  addWindowedReplayFlags,
  onlyMachine,
  parseReplayFlags,
  type ReplayFlags,
  type ReplayRequest,
} from './machine-options.js';
import { lineCyclesOf, refuseSchedules } from './line-cycles.js';
import { profilesOf } from './open-profiles.js';
import { priceTrace } from './priced-code.js';
import { openFor } from './replay-trace.js';
import { checkTop, FORMATS } from './report-options.js';
import { readSources } from './source-files.js';
import { addSourceFlags, SOURCE_FLAGS, type SourceFlags } from './source-places.js';
import { StandardOutput } from './standard-output.js';
import { TRACES, withTraceFiles } from './trace-source.js';

interface AnnotateFlags extends ReplayFlags, SourceFlags {
  readonly file?: string;
  readonly function?: string;
  readonly type?: string;
  readonly all?: boolean;
  readonly blocks?: boolean;
  readonly sort?: MemberSort;
  readonly level?: LevelName;
  readonly top?: string;
  readonly format: (typeof FORMATS)[number];
}

const FILES_SHOWN = 5;
/** Options that say nothing about a type. */
const SOURCE_ONLY = { file: 'file', function: 'function', ...SOURCE_FLAGS, all: 'all', blocks: 'blocks' } as const;

export function addAnnotateCommand(program: Command): void {
  const command = program
    .command('annotate')
    .description('print misses beside each source line, or with --type beside each member of a type')
    .argument('<files...>', `${TRACES}; or a profile`)
    .option('--file <name>', 'only this source file; the end of its name is enough: util/list.c')
    .option('--function <name>', 'only lines of this function')
    .option('--type <name>', "show the definition of this type instead, such as 'struct args'")
    .option('--all', 'print whole files, not only lines near counts')
    .option('--blocks', 'cycles of each line, computing and waiting; runs the code here (traces of -fdprof-blocks)')
    .addOption(
      new Option(
        '--sort <key>',
        'sort files by cycles (default) or misses; members by offset (default), misses or cycles',
      ).choices([...MEMBER_SORTS]),
    )
    .addOption(
      new Option('--level <level>', 'level whose misses and classes to show (default: the costliest)').choices([
        ...LEVELS,
      ]),
    )
    .option('--top <n>', `files (default: ${FILES_SHOWN}), or members of a type (default: all), in text`)
    .addOption(new Option('--format <format>', 'how to print it').choices([...FORMATS]).default('text'));
  addWindowedReplayFlags(addSourceFlags(command), { keepsProfiles: true }).action(
    async (files: readonly string[], options: AnnotateFlags) => {
      checkFlags(options);
      const replay = parseReplayFlags(options);
      const request: ReplayRequest = { ...replay, ...(replay.kept && { kept: 'or-more' }) };
      onlyMachine(request);
      if (options.blocks === true) refuseSchedules(request);
      const { profile, code } = await withTraceFiles(files, async (paths) => {
        const [made] = await profilesOf(paths, files, options, request);
        return {
          profile: made,
          code:
            options.blocks === true
              ? lineCyclesOf(await priceTrace(openFor(paths, request), request), made)
              : undefined,
        };
      });
      if (profile.sampled !== undefined)
        throw new DprofError(
          `${files[0]} is of samples, and an annotation says its numbers without intervals`,
          'give --view miss-classification --by line to dprof report',
        );
      const output = new StandardOutput();
      const style = chooseStyle(isatty(1) ? process.stdout : {}, process.env);
      for (const part of options.type === undefined
        ? printSource(profile, { ...options, code }, style)
        : printType(profile, options.type, options, style))
        output.write(part);
      output.flush();
    },
  );
}

function checkFlags({ type, sort, top, ...options }: AnnotateFlags): void {
  if (top !== undefined) checkTop(top);
  const ofSource = (Object.keys(SOURCE_ONLY) as (keyof typeof SOURCE_ONLY)[]).find(
    (name) => options[name] !== undefined,
  );
  if (type !== undefined && ofSource !== undefined) {
    throw new DprofError(`--${SOURCE_ONLY[ofSource]} is for source, and --type shows a type`, 'give one of them', 2);
  }
  if (type === undefined && sort === 'offset')
    throw new DprofError('--sort offset is for the members of a type', 'give --type, or --sort misses', 2);
}

function printType(
  profile: Profile,
  type: string,
  { sort = 'offset', level, top, format }: AnnotateFlags,
  style: TextStyle,
): Iterable<string> {
  const view = annotateType(profile, type, sort, level);
  if (format === 'text') return [renderAnnotatedType(view, style, top === undefined ? Infinity : Number(top))];
  return format === 'json' ? renderJson(view as View<unknown>) : renderCsv(view.rows, allColumns(view.rows));
}

function printSource(
  profile: Profile,
  {
    file,
    function: name,
    all = false,
    sort: asked,
    level,
    top = String(FILES_SHOWN),
    format,
    code,
    ...flags
  }: AnnotateFlags & { readonly code?: CodeCycles },
  style: TextStyle,
): Iterable<string> {
  // One without references may have run.
  if (name === undefined || code?.byFunction.has(name) !== true) requireNames(profile, { function: name });
  const request = {
    file,
    function: name,
    level,
    code,
    sort: asked === 'misses' ? ('misses' as const) : ('cycles' as const),
  };
  const listed = listSourceFiles(profile, request);
  // Rows of JSON and CSV are never cut.
  const shown = format === 'text' && file === undefined ? listed.slice(0, Number(top)) : listed;
  const texts = readSources(listed, { ...flags, files: profile.files }, profile.run.recordedAt);
  const view = annotateSource(profile, request, shown, texts, all);
  if (format === 'text') return [renderAnnotatedSource(view, style)];
  return format === 'json' ? renderJson(view as View<unknown>) : renderCsv(view.rows, allColumns(view.rows));
}

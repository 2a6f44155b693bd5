// Stage: profile -> views. `dprof annotate`: the lines of source files with what was missed on each, and the text of
// the lines around them. Texts are handed in: this reads no file.

import { CLASSES, type LevelName } from '../contract/machine.js';
import type { Profile } from '../profile/profile.js';
import { CLASS_NAMES, LEVEL_NAMES } from './class-names.js';
import { cycleColumns } from './cost-columns.js';
import { blankUnless, column, count, name, share, type Column } from './columns.js';
import { CounterSums, rankSums, sortRanked, sumBy, type Sort } from './counter-sums.js';
import { wrapRows } from './envelope.js';
import { classify, type Classified } from './level-misses.js';
import { cyclesOf, waitsBy, type CodeCycles, type ComputeAndWait } from './line-cycles.js';
import { requireName } from './row-filter.js';
import { spellFunction } from './sites.js';
import type { View } from './view.js';

/**
 * The outcome of the search for a file. `newer`: it was changed since the program ran, so lines may have moved;
 * `private`: not everybody may read it.
 */
const SOURCE_STATES = ['read', 'newer', 'missing', 'private'] as const;

export interface SourceText {
  readonly state: (typeof SOURCE_STATES)[number];
  /** The path at which it was found. */
  readonly path: string | null;
  readonly lines: readonly string[];
  /** Where it was looked for, if it was not found. */
  readonly tried?: readonly string[];
}

/** `computeCycles` and `waitCycles`, here and of a line: only where the program's blocks are priced. */
export interface AnnotatedFile extends Partial<ComputeAndWait> {
  /** As the compiler was given it; two files never have one name. */
  readonly file: string;
  readonly source: SourceText['state'];
  readonly path: string | null;
  readonly tried?: readonly string[];
  /** Lines with references; L1 misses and estimated cycles of all of them, whatever is shown. */
  readonly lines: number;
  readonly misses: number;
  readonly missLatencyCycles: number;
}

/** A line with references or with code that ran, or one near it; what is near has no counts. */
export interface AnnotatedLine extends Partial<Classified>, Partial<ComputeAndWait> {
  readonly file: string;
  readonly line: number;
  /** Functions whose accesses are on it: several where one is inlined, or of a macro. */
  readonly functions: readonly string[];
  /** null: the source is not there, or shorter. */
  readonly text: string | null;
}

export interface AnnotatedSource extends View<AnnotatedLine> {
  /** By what was asked, estimated cycles if nothing was; all of them, whatever is shown. */
  readonly files: readonly AnnotatedFile[];
  /** References and L1 misses that the debug information puts on no line. */
  readonly nowhere: { readonly references: number; readonly misses: number } & Partial<ComputeAndWait>;
  /** Of the run, whatever is asked for: of all files, and of what is on no line. */
  readonly runTime?: ComputeAndWait;
}

export interface SourceRequest {
  /** As it is spelled in the profile, or the end of its path from a folder on: "util/list.c". */
  readonly file?: string;
  readonly function?: string;
  readonly sort?: Sort;
  readonly level?: LevelName;
  readonly code?: CodeCycles;
}

const CONTEXT = 3;

/** The files that are asked for, most estimated cycles (or misses) first. */
export function listSourceFiles(
  profile: Profile,
  { file, function: name, sort = 'cycles', code }: SourceRequest,
): string[] {
  const { strings } = profile;
  const met = sumBy(profile.tallies, (row) => fileOf(profile, row, name));
  met.delete('');
  const times = code && fileTimes(profile, code, name);
  const known = sortRanked(
    [...new Set([...met.keys(), ...(code ? cyclesOf(code, name).byFile.keys() : [])])].map((one) => {
      const rank = rankSums(met.get(one) ?? new CounterSums(), one);
      const time = times?.(one);
      return { rank: time === undefined ? rank : { ...rank, cycles: time.computeCycles + time.waitCycles }, row: one };
    }),
    sort,
  );
  if (file === undefined) return known;
  const paths = new Map(profile.files?.map(({ spelling, path }) => [spelling, path]));
  const asked = known.filter((one) => one === file || [one, paths.get(one)].some((name) => name?.endsWith(`/${file}`)));
  if (asked.length === 0)
    requireName(
      'source file',
      file,
      known.length > 0
        ? known
        : [...new Set(profile.sites.file)].map((number) => strings[number]).filter((one) => one !== ''),
    );
  return asked;
}

/** "": what is on no line. */
function fileTimes(profile: Profile, code: CodeCycles, name: string | undefined): (file: string) => ComputeAndWait {
  const { byFile, nowhere } = cyclesOf(code, name);
  const waitOf = waitsBy(profile, (row) => fileOf(profile, row, name));
  return (file) => {
    const lines = file === '' ? [nowhere] : [...(byFile.get(file)?.values() ?? [])];
    return { computeCycles: Math.round(lines.reduce((sum, own) => sum + own, 0)), waitCycles: waitOf(file) };
  };
}

/** "": none that is known; null: of another function. */
function fileOf(
  { tallies, sites, strings, ...profile }: Profile,
  row: number,
  name: string | undefined,
): string | null {
  const site = tallies.site[row];
  if (name !== undefined && spellFunction({ tallies, sites, strings, ...profile }, site) !== name) return null;
  return sites.line[site] === 0 ? '' : strings[sites.file[site]];
}

/** `shown`: of the files that listSourceFiles lists. `isWhole`: all lines, not only those near counts. */
export function annotateSource(
  profile: Profile,
  request: SourceRequest,
  shown: readonly string[],
  sources: ReadonlyMap<string, SourceText>,
  isWhole: boolean,
): AnnotatedSource {
  const { tallies, sites } = profile;
  const { function: name, level, code } = request;
  const all = listSourceFiles(profile, request);
  const byLine = new Map<string, Map<number, { sums: CounterSums; functions: Set<string> }>>();
  const keyOf = (row: number): string | null => {
    const file = fileOf(profile, row, name);
    return file === null ? null : `${file}\n${sites.line[tallies.site[row]]}`;
  };
  for (const [key, sums] of sumBy(tallies, keyOf)) {
    const cut = key.lastIndexOf('\n');
    const file = key.slice(0, cut);
    const lines = byLine.get(file) ?? new Map<number, { sums: CounterSums; functions: Set<string> }>();
    byLine.set(file, lines.set(Number(key.slice(cut + 1)), { sums, functions: new Set() }));
  }
  for (let row = 0; row < tallies.type.length; row++) {
    const file = fileOf(profile, row, name);
    const own = spellFunction(profile, tallies.site[row]);
    if (file !== null && own !== null) byLine.get(file)?.get(sites.line[tallies.site[row]])?.functions.add(own);
  }
  const timeOf = code && fileTimes(profile, code, name);
  const own = code && cyclesOf(code, name);
  const waitOf = code && waitsBy(profile, keyOf);
  const lost = [...(byLine.get('')?.values() ?? [])];
  const files = all.map((file): AnnotatedFile => {
    const lines = [...(byLine.get(file)?.values() ?? [])];
    const sum = (get: (sums: CounterSums) => number): number => lines.reduce((total, { sums }) => total + get(sums), 0);
    const source = sources.get(file);
    return {
      file,
      source: source?.state ?? 'missing',
      path: source?.path ?? null,
      ...(source?.tried && { tried: source.tried }),
      lines: lines.length,
      misses: sum((sums) => sums.misses('l1')),
      missLatencyCycles: sum((sums) => sums.get('missLatencyCycles')),
      ...timeOf?.(file),
    };
  });
  const rows = shown.flatMap((file) => {
    const counted = byLine.get(file);
    const ran = own?.byFile.get(file);
    const text = sources.get(file)?.lines ?? [];
    const known = [...new Set([...(counted?.keys() ?? []), ...(ran?.keys() ?? [])])];
    return linesToShow(known, text.length, isWhole).map((line): AnnotatedLine => {
      const made = counted?.get(line);
      const compute = ran?.get(line) ?? 0;
      const wait = made === undefined ? 0 : (waitOf?.(`${file}\n${line}`) ?? 0);
      return {
        file,
        line,
        functions: [...(made?.functions ?? [])].sort(),
        text: text[line - 1] ?? null,
        ...(made && classify(made.sums, profile.machine, level)),
        ...(code && (made ?? compute) && { computeCycles: Math.round(compute), waitCycles: wait }),
      };
    });
  });
  const { rows: listed, ...view } = wrapRows(profile, 'annotated-source', rows, { level });
  const nowhere = {
    references: lost.reduce((sum, { sums }) => sum + sums.references, 0),
    misses: lost.reduce((sum, { sums }) => sum + sums.misses('l1'), 0),
    ...timeOf?.(''),
  };
  return {
    ...view,
    ...(name !== undefined && { filter: { function: name } }),
    files,
    nowhere,
    ...(code && { runTime: timeOfRun(profile, code) }),
    rows: listed,
  };
}

/** The sum of what its files say. */
function timeOfRun(profile: Profile, code: CodeCycles): ComputeAndWait {
  const timeOf = fileTimes(profile, code, undefined);
  const parts = [...listSourceFiles(profile, { code }), ''].map(timeOf);
  const sum = (key: keyof ComputeAndWait): number => parts.reduce((all, part) => all + part[key], 0);
  return { computeCycles: sum('computeCycles'), waitCycles: sum('waitCycles') };
}

/** Ascending: those with counts, and of those that have a text the ones around them, or all. */
function linesToShow(counted: readonly number[], length: number, isWhole: boolean): number[] {
  const shown = new Set(counted);
  if (isWhole) for (let line = 1; line <= length; line++) shown.add(line);
  else
    for (const line of counted)
      for (let near = Math.max(1, line - CONTEXT); near <= Math.min(length, line + CONTEXT); near++) shown.add(near);
  return [...shown].sort((a, b) => a - b);
}

const STATE_WORDS: Readonly<Record<AnnotatedFile['source'], string>> = {
  read: '',
  newer: 'changed since',
  missing: 'not found',
  private: 'not shown',
};

/** What a line or a file takes of the run's time. */
function timeColumns<Row extends Partial<ComputeAndWait>>({
  runTime,
}: Pick<AnnotatedSource, 'runTime'>): Column<Row>[] {
  if (runTime === undefined) return [];
  const all = ['totals.computeCycles', 'totals.waitCycles'];
  return blankUnless<Row>(
    ({ computeCycles }) => computeCycles !== undefined,
    [
      share('of time', ['computeCycles', 'waitCycles'], { paths: all, envelope: { totals: runTime } }),
      count('compute', 'computeCycles', { meaning: 'cycles of its instructions, their data in the L1' }),
      count('wait', 'waitCycles', { meaning: 'cycles for its misses, less what other instructions hide' }),
    ],
  );
}

/** The column that files are sorted by. */
export function orderOfFiles(view: AnnotatedSource): string {
  return timeColumns(view).at(0)?.id ?? 'missLatencyCycles';
}

/** Columns of the page; the text has its own numbers beside each line of the source. */
export function fileColumns(view: AnnotatedSource): Column<AnnotatedFile>[] {
  return [
    name('file', 'file', { width: 60 }),
    ...timeColumns<AnnotatedFile>(view),
    ...cycleColumns<AnnotatedFile>(view),
    count('L1 misses', 'misses'),
    count('lines', 'lines', { meaning: 'lines that made references' }),
    column('words', 'text', 'text', ({ source }: AnnotatedFile) => STATE_WORDS[source], {
      meaning: 'whether the file was found where the report was made',
    }),
  ];
}

export function lineColumns(view: AnnotatedSource): Column<AnnotatedLine>[] {
  const { level } = view;
  const counted = (columns: readonly Column<never>[]): Column<AnnotatedLine>[] =>
    blankUnless<AnnotatedLine>(({ levels }) => levels !== undefined, columns as readonly Column<AnnotatedLine>[]);
  const misses = (one: LevelName): Column<AnnotatedLine> => count(`${LEVEL_NAMES[one]} misses`, `levels.${one}.misses`);
  return [
    {
      ...column('words', 'line', 'line', ({ line }: AnnotatedLine) => String(line), { width: 11 }),
      sortKey: ({ line }) => line,
    },
    ...timeColumns<AnnotatedLine>(view),
    ...counted([...cycleColumns(view), misses('l1'), ...(level === 'l1' ? [] : [misses(level)])]),
    column('name', 'text', 'source', ({ text }: AnnotatedLine) => text, { width: 52, nothing: '' }),
    ...counted([
      ...CLASSES.map((one) => count<AnnotatedLine>(CLASS_NAMES[one], `levels.${level}.classes.${one}`)),
      count('references', ['references.loads', 'references.stores']),
    ]),
    column('name', 'functions', 'function', ({ functions }: AnnotatedLine) => functions.join(', '), {
      width: 30,
      nothing: '',
    }),
  ];
}

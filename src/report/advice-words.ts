// Stage: advice -> text, HTML page. The sentences of advice, which text and page have in common. Names of the program
// stand apart from the words around them: the text spells them out, the page puts them into elements of their own.

import type { AdviceJson, ChangeJson, FindingJson, PredictionJson } from '../advise/advice-schema.js';
import type { FindingKind } from '../advise/problem.js';
import { formatCount, formatShare, plural } from '../base/format-number.js';
import { LEVELS } from '../contract/machine.js';
import { LEVEL_NAMES } from '../views/class-names.js';
import { briefSite } from '../views/sites.js';
import { briefType } from './brief-type.js';
import type { Labelled } from './text-lines.js';
import { spellVisibly } from './visible-text.js';

/** `prose`: a sentence with names in it. */
export type Words = readonly (
  | string
  | { readonly name: string }
  | { readonly site: string }
  | { readonly prose: string }
)[];

type ProblemWords = Omit<FindingJson, 'origin' | 'others' | 'advice' | 'change' | 'predicted'>;
type Run = Pick<AdviceJson, 'cycles' | 'instructions'>;
type BeforeAfter = PredictionJson['machines'][number];
type SideWords = NonNullable<FindingJson['sides']>['missed'];

export const KIND_NAMES: Readonly<Record<FindingKind, string>> = {
  'false-sharing': 'false sharing',
  'lock-and-data': 'a lock and data on one line',
  'true-sharing': 'true sharing',
  'cold-sharing': 'cold sharing',
  conflict: 'conflicts',
  capacity: 'more data than the cache holds',
  'unused-bytes': 'bytes fetched and never used',
  streaming: 'first touches',
  straddling: 'objects that lie in two lines',
};

export const ALLOCATOR_MAKES_IT = 'The allocator makes it: with another one most of it is gone.';
export const NO_LAYOUT_HELPS = 'No layout that was tried helps enough.';

export function plainText(words: Words): string {
  return words
    .map((word) => {
      if (typeof word === 'string') return word;
      return spellVisibly('site' in word ? briefSite(word.site) : 'name' in word ? word.name : word.prose);
    })
    .join('');
}

export function runLines({
  command,
  machines,
  schedules,
  cycles,
  instructions,
  tried,
  refused = 0,
  excerpts,
}: Pick<
  AdviceJson,
  'command' | 'machines' | 'schedules' | 'cycles' | 'instructions' | 'tried' | 'refused' | 'excerpts'
>): Labelled[] {
  const part = excerpts ? `excerpts of the recorded run (${formatCount(excerpts)} references)` : 'the recorded run';
  return [
    ['program', command],
    [
      'on',
      `${machines.join(', ')}; ${plural(schedules, 'schedule')}; ${formatCount(cycles)} estimated cycles of misses ` +
        `beside ${formatCount(instructions)} recorded instructions (none of libraries that dprof-cc did not ` +
        'compile); the run is both together',
    ],
    [
      'tried',
      tried === 0
        ? `no change${refused === 0 ? '' : `: ${plural(refused, 'change')} cannot be made in this run`}`
        : `${triedOf(tried, refused)} on ${part}; a finding's change does no harm on any machine or under any schedule`,
    ],
  ];
}

/** Of all that the progress line counts. */
function triedOf(tried: number, refused: number): string {
  if (refused === 0) return plural(tried, 'change');
  const all = plural(tried + refused, 'change');
  return `${formatCount(tried)} of ${all} (${formatCount(refused)} cannot be made in this run)`;
}

/** "struct node", "u (double[], adi.c:12)". */
export function subjectOf({ type, name, allocatedAt }: Pick<ProblemWords, 'type' | 'name' | 'allocatedAt'>): Words {
  const place: Words = allocatedAt === null ? [{ name: type }] : [{ name: type }, ', ', { site: allocatedAt }];
  return name === null ? place : [{ name }, ' (', ...place, ')'];
}

/** In a list. */
export function briefSubjectOf(problem: Pick<ProblemWords, 'type' | 'name' | 'allocatedAt'>): Words {
  return subjectOf({ ...problem, type: briefType(problem.type) });
}

export function titleOf(problem: ProblemWords): Words {
  return [...subjectOf(problem), `: ${KIND_NAMES[problem.kind]}`];
}

/** "u (double[], adi.c:12): conflicts, 40.6% of the estimated cycles, 8.1% of the run" */
export function problemOf(problem: ProblemWords, run: Run): Words {
  return [...titleOf(problem), `, ${sharesOf(problem, run)}`];
}

/** Of both, in the words of a report, so that a reader can find one in the other. */
export function sharesOf(
  { cycles, cyclesShare }: Pick<ProblemWords, 'cycles' | 'cyclesShare'>,
  { cycles: all, instructions }: Run,
): string {
  const run = Math.max(1, all + instructions);
  return `${formatShare(cyclesShare, 1)} of the estimated cycles, ${formatShare(cycles, run)} of the run`;
}

/** `share`: of the run. */
export function sharesOfRun(share: number, { cycles, instructions }: Run): string {
  const cyclesShare = (share * (cycles + instructions)) / Math.max(1, cycles);
  return `${formatShare(cyclesShare, 1)} of the estimated cycles, ${formatShare(share, 1)} of the run`;
}

/** Without its full stop. */
export function factsOf(
  { level, cycles, cyclesShare, misses, missesShare, site, ...problem }: ProblemWords,
  run: Run,
): Words {
  const { function: inside } = problem;
  return [
    `${sharesOf({ cycles, cyclesShare }, run)} (${formatCount(Math.round(cycles))} cycles), most of it by ` +
      `${LEVEL_NAMES[level]} misses (${formatCount(misses)}, ${formatShare(missesShare, 1)} of all)`,
    ...(site === null ? [] : [', most at ', { site }, ...(inside === null ? [] : [' in ', { name: inside }])]),
  ];
}

export function sideOf({ type, field, variable, function: inside, site }: SideWords): Words {
  return [
    { name: field === null || field === variable ? (variable ?? type) : `${type}.${field}` },
    ...(site === null ? [] : [' at ', { site }]),
    ...(inside === null ? [] : [' in ', { name: inside }]),
  ];
}

/** Sentences, each with a blank before it. */
export function sizesOf({ sizes }: Pick<ChangeJson, 'sizes'>): Words {
  return sizes
    .filter(({ bytesBefore, bytesAfter }) => bytesBefore !== bytesAfter)
    .flatMap(({ type, bytesBefore, bytesAfter, coldBytes }) => {
      const apart = coldBytes === 0 ? '' : `, and ${coldBytes} apart`;
      return [' ', { name: type }, ` has ${bytesAfter} bytes instead of ${bytesBefore}${apart}.`];
    });
}

/** " It also helps this; that; and that." */
export function othersOf(others: readonly ProblemWords[], run: Run): Words {
  if (others.length === 0) return [];
  return [' It also helps ', ...others.flatMap((other, at) => [at === 0 ? '' : '; ', ...problemOf(other, run)]), '.'];
}

export function ratioOf({ before, after }: BeforeAfter): string {
  return `${(after / Math.max(1, before)).toFixed(2)} x`;
}

/** "estimated cycles 874 -> 103, 0.12 x" */
export function cyclesGainOf({ cycles }: { readonly cycles: BeforeAfter }): string {
  return `estimated cycles ${formatCount(cycles.before)} -> ${formatCount(cycles.after)}, ${ratioOf(cycles)}`;
}

/** A sentence with a blank before it. */
export function savingOf({ cycles: { before, after } }: Pick<PredictionJson, 'cycles'>, run: Run): string {
  return ` It saves ${sharesOfRun((before - after) / Math.max(1, run.cycles + run.instructions), run)}.`;
}

/** Likewise, with the misses of levels that change. */
export function gainOf({ cycles, misses }: PredictionJson): string {
  const levels = LEVELS.filter((level) => misses[level].before !== misses[level].after).map(
    (level) => `${LEVEL_NAMES[level]} ${formatCount(misses[level].before)} -> ${formatCount(misses[level].after)}`,
  );
  return `${cyclesGainOf({ cycles })}${levels.length === 0 ? '' : `; misses ${levels.join(', ')}`}`;
}

/** A sentence with a blank before it. */
export function runTimeOf({ runTime }: PredictionJson): string {
  return runTime === undefined ? '' : ` Run time of what was recorded: about ${ratioOf(runTime)}.`;
}

/** A sentence with a blank before it. */
export function rangeOf({ ratio: { low, high } }: PredictionJson): string {
  return low === high ? '' : ` Under each schedule: ${low.toFixed(2)} to ${high.toFixed(2)} x.`;
}

/** What a shell takes as it stands. */
const PLAIN_WORD = /^[\w/.=+-]+$/;

export function commandOf(trace: string, options: readonly string[]): string {
  return shellWords('dprof what-if', [trace, ...options]);
}

export function adviseOf(trace: string): string {
  return shellWords('dprof advise', [trace]);
}

export function reportOf(trace: string): string {
  return shellWords('dprof report', [trace]);
}

/** For a shell: a name of the program cannot end its quotation marks. */
function shellWords(command: string, words: readonly string[]): string {
  const quote = (word: string): string => (PLAIN_WORD.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
  return spellVisibly([command, ...words.map(quote)].join(' '));
}

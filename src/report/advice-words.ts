// Stage: advice -> text, HTML page. The sentences of advice, which text and page have in common. Names of the program
// stand apart from the words around them: the text spells them out, the page puts them into elements of their own.

import type { AdviceJson, ChangeJson, FindingJson, PredictionJson } from '../advise/advice-schema.js';
import type { FindingKind } from '../advise/problem.js';
import { formatCount, formatShare, plural } from '../base/format-number.js';
import { LEVELS } from '../contract/machine.js';
import { LEVEL_NAMES } from '../views/class-names.js';
import { briefSite } from '../views/sites.js';
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
type SideWords = NonNullable<FindingJson['sides']>['missed'];

export const KIND_NAMES: Readonly<Record<FindingKind, string>> = {
  'false-sharing': 'false sharing',
  'lock-and-data': 'a lock and data on one line',
  'true-sharing': 'true sharing',
  'cold-sharing': 'cold sharing',
  conflict: 'conflicts',
  capacity: 'too much for the cache',
  'unused-bytes': 'fetched, but not used',
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
  excerpts,
}: Pick<
  AdviceJson,
  'command' | 'machines' | 'schedules' | 'cycles' | 'instructions' | 'tried' | 'excerpts'
>): Labelled[] {
  const part = excerpts ? `excerpts of the recorded run (${formatCount(excerpts)} references)` : 'the recorded run';
  return [
    ['program', command],
    [
      'on',
      `${machines.join(', ')}; ${plural(schedules, 'schedule')}; ${formatCount(cycles)} estimated cycles of misses ` +
        `beside ${formatCount(instructions)} recorded instructions (none of libraries that dprof-cc did not compile)`,
    ],
    [
      'tried',
      tried === 0
        ? 'no change'
        : `${plural(tried, 'change')} on ${part}; a finding's change does no harm on any machine or under any schedule`,
    ],
  ];
}

/** "struct node", "u (double[], adi.c:12)". */
export function subjectOf({ type, name, allocatedAt }: Pick<ProblemWords, 'type' | 'name' | 'allocatedAt'>): Words {
  const place: Words = allocatedAt === null ? [{ name: type }] : [{ name: type }, ', ', { site: allocatedAt }];
  return name === null ? place : [{ name }, ' (', ...place, ')'];
}

export function titleOf(problem: ProblemWords): Words {
  return [...subjectOf(problem), `: ${KIND_NAMES[problem.kind]}`];
}

/** "conflicts of u (double[], adi.c:12) (40.6%)" */
export function problemOf(problem: ProblemWords): Words {
  return [`${KIND_NAMES[problem.kind]} of `, ...subjectOf(problem), ` (${formatShare(problem.cyclesShare, 1)})`];
}

/** Without its full stop. */
export function factsOf({ level, cycles, cyclesShare, misses, missesShare, site, ...problem }: ProblemWords): Words {
  const { function: inside } = problem;
  return [
    `${formatShare(cyclesShare, 1)} of the estimated cycles (${formatCount(Math.round(cycles))}), most of it by ` +
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

/** " With it goes this, that and that." */
export function othersOf(others: readonly ProblemWords[]): Words {
  if (others.length === 0) return [];
  const between = (index: number): string => (index === 0 ? '' : index === others.length - 1 ? ' and ' : ', ');
  return [' With it goes ', ...others.flatMap((other, index) => [between(index), ...problemOf(other)]), '.'];
}

export function ratioOf({ before, after }: { readonly before: number; readonly after: number }): string {
  return `${(after / Math.max(1, before)).toFixed(2)} x`;
}

/** "estimated cycles 874 -> 103, 0.12 x" */
export function cyclesGainOf({ cycles }: Pick<PredictionJson, 'cycles'>): string {
  return `estimated cycles ${formatCount(cycles.before)} -> ${formatCount(cycles.after)}, ${ratioOf(cycles)}`;
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

export function reportOf(trace: string): string {
  return shellWords('dprof report', [trace]);
}

/** For a shell: a name of the program cannot end its quotation marks. */
function shellWords(command: string, words: readonly string[]): string {
  const quote = (word: string): string => (PLAIN_WORD.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
  return spellVisibly([command, ...words.map(quote)].join(' '));
}

/** If nothing is serious: what costs most all the same, and what came nearest to a change. */
export function costliestOf(
  { costliest = [] }: Pick<AdviceJson['left'], 'costliest'>,
  { cycles, instructions }: Pick<AdviceJson, 'cycles' | 'instructions'>,
): Words[] {
  const run = Math.max(1, cycles + instructions);
  return costliest.map((problem) => [
    `${formatShare(problem.cycles, run)} of the run: ${KIND_NAMES[problem.kind]} of `,
    ...subjectOf(problem),
    ` (${LEVEL_NAMES[problem.level]})`,
    ...(problem.site === null ? [] : [', most at ', { site: problem.site }]),
    '.',
    ...(problem.nearest === null
      ? []
      : [
          ` The best that was tried saves ${formatShare(problem.nearest.gainShare, 1)} of the run: `,
          { prose: problem.nearest.text },
          '.',
        ]),
  ]);
}

export function leftOutOf(
  found: number,
  { count, largest }: Pick<AdviceJson['left'], 'count' | 'largest'>,
  { cycles, instructions, tried }: Pick<AdviceJson, 'cycles' | 'instructions' | 'tried'>,
): Words {
  const run = Math.max(1, cycles + instructions);
  const most: Words =
    largest === null
      ? []
      : [
          ` The largest: ${KIND_NAMES[largest.kind]} of `,
          ...subjectOf(largest),
          `, ${formatShare(largest.cyclesShare, 1)} of the estimated cycles, ` +
            `${formatShare(largest.cycles, run)} of the run`,
          ...(largest.site === null ? [] : [', at ', { site: largest.site }]),
          '.',
        ];
  const why =
    tried === 0
      ? `misses cost ${formatShare(cycles, run)} of the run (instructions and estimated cycles), and no change to ` +
        'try could bring enough of it (--min-gain).'
      : 'nothing that was tried brings enough of the run (instructions and estimated cycles; --min-gain).';
  if (found === 0) return [`Nothing serious: ${why}`];
  return count === 0
    ? ['Nothing is left out.']
    : [
        `Left out: ${plural(count, 'problem')}, too small (--min-cycles) or without a change that brings enough ` +
          '(--min-gain).',
        ...most,
      ];
}

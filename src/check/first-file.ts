// Stage: check. A first dprof.yml, from a run: what is worth keeping of it, each with a word on why.

import { basename } from 'node:path';
import { stringify } from 'yaml';
import type { Profile } from '../profile/profile.js';
import { type CounterSums, sumAll, sumBy } from '../views/counter-sums.js';
import { PROGRAM_NAME } from './check-schema.js';

/** Of all estimated cycles: what costs less is not worth a line. */
const LEAST_SHARE = 0.05;
const MOST_TYPES = 5;
/** What has more lines is walked through, not looked up. */
const MOST_LINES = 4;

interface Line {
  readonly why: string;
  readonly subject?: string;
  readonly says: string;
}

/** "./build/list.out" is list.out; what a program may not be called is "program". */
export function nameProgram(word: string): string {
  const name = basename(word);
  return new RegExp(PROGRAM_NAME).test(name) ? name : 'program';
}

/** `profiles`: of one run, one for each order of threads. */
export function firstCheckFile(profiles: readonly Profile[], name: string, command: readonly string[]): string {
  const [profile] = profiles;
  const { hot, shared } = choose(profiles);
  const limits: Line[] = [
    ...shared.map((subject) => ({
      why: 'several threads share it, and none waits for its neighbours in a line',
      subject,
      says: 'false-sharing <= 0',
    })),
    ...hot.flatMap(({ subject }) => {
      const lines = linesOf(profile, subject);
      if (lines === undefined || lines > MOST_LINES) return [];
      return [{ why: 'it costs much: a field more may be a line more', subject, says: `lines <= ${lines}` }];
    }),
  ];
  const baseline: Line[] = [
    { why: 'latency of all references that miss the L1', says: 'estimated-cycles within 1 %' },
    ...hot.map(({ subject, share, misses }) => ({
      why: `${(share * 100).toFixed(1)} % of the estimated cycles`,
      subject,
      says: `${misses} within 2 %`,
    })),
  ];
  return [
    '# What dprof check runs, and what must hold of it. docs/check.md of dprof says what else can stand here.',
    'programs:',
    `  ${stringify(name).trimEnd()}:`,
    "    # 'build: make CC=dprof-cc' would build it first; 'inputs: [data/*.csv]' are files that the run depends on.",
    `    run: ${JSON.stringify(command)}`,
    ...(limits.length === 0 ? [] : ['    # These hold today, whatever the baseline says.', '    limits:']),
    ...limits.flatMap(spellLine),
    '    # These may not grow by more than is said. dprof check --update keeps the numbers of a run.',
    '    baseline:',
    ...baseline.flatMap(spellLine),
    '',
  ].join('\n');
}

function spellLine({ why, subject, says }: Line): string[] {
  const text = stringify(subject === undefined ? says : { [subject]: says }, { lineWidth: 0 }).trimEnd();
  return [`      # ${why}`, `      - ${text}`];
}

interface HotType {
  readonly subject: string;
  readonly share: number;
  readonly misses: 'l1-misses' | 'l2-misses';
}

function choose(profiles: readonly Profile[]): {
  readonly hot: readonly HotType[];
  readonly shared: readonly string[];
} {
  const [first] = profiles;
  const all = sumAll(first.tallies).get('missLatencyCycles');
  const sums = sumsByType(first);
  const hot = [...sums]
    .map(([name, sum]) => ({
      subject: asSubject(name),
      share: all === 0 ? 0 : sum.get('missLatencyCycles') / all,
      misses: sum.misses('l2') > 0 ? ('l2-misses' as const) : ('l1-misses' as const),
    }))
    .filter(({ share }) => share >= LEAST_SHARE)
    .sort((a, b) => b.share - a.share || (a.subject < b.subject ? -1 : 1))
    .slice(0, MOST_TYPES);
  const others = profiles.map(sumsByType);
  const shared = [...sums.keys()]
    .filter((name) => linesOf(first, name) !== undefined)
    .filter((name) => (sums.get(name)?.get('stores') ?? 0) > 0)
    .filter((name) => others.some((own) => (own.get(name)?.get('transfers') ?? 0) > 0))
    .filter((name) => others.every((own) => (own.get(name)?.get('l1.false-sharing') ?? 0) === 0))
    .sort();
  return { hot, shared: shared.slice(0, MOST_TYPES).map(asSubject) };
}

function sumsByType({ tallies, types, strings }: Profile): Map<string, CounterSums> {
  const sums = sumBy(tallies, (row) => strings[types.name[tallies.type[row]]]);
  sums.delete('(no object)');
  return sums;
}

/** A type may be called what else would be a word of dprof.yml. */
function asSubject(type: string): string {
  return /^(run$|(function|line|site|type) )/.test(type) ? `type ${type}` : type;
}

function linesOf({ layouts = [], machine }: Profile, type: string): number | undefined {
  const layout = layouts.find(({ name }) => name === type);
  return layout === undefined ? undefined : Math.max(1, Math.ceil(layout.sizeBytes / machine.lineBytes));
}

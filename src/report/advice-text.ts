// Stage: advice -> text. One paragraph for each finding, which a person can paste into a ticket.

import { formatCount, formatShare, plural } from '../base/format-number.js';
import type { Advice, Change, Finding, Prediction } from '../advise/advise.js';
import type { Problems } from '../advise/problems.js';
import { spellSubject, type Problem } from '../advise/problem.js';
import { briefSite } from '../views/sites.js';
import { LEVEL_NAMES } from '../views/class-names.js';
import type { SharingSide } from '../views/sharing-rows.js';
import { spellCacheperf } from './cacheperf-text.js';
import { proseWidth, renderLabelled, wrap, type Labelled } from './text-lines.js';

const KINDS: Readonly<Record<Problem['kind'], string>> = {
  'false-sharing': 'false sharing',
  'true-sharing': 'true sharing',
  'cold-sharing': 'cold sharing',
  conflict: 'conflicts',
  capacity: 'too much for the cache',
  'unused-bytes': 'fetched, but not used',
  streaming: 'first touches',
};

export interface AdviceHead {
  readonly trace: string;
  readonly command: string;
  readonly machines: readonly string[];
  readonly schedules: number;
}

export function renderAdvice(advice: Advice, head: AdviceHead, width: number): string {
  const { findings, left, before, all } = advice;
  const lines: Labelled[] = [
    ['program', head.command],
    [
      'on',
      `${head.machines.join(', ')}; ${plural(head.schedules, 'schedule')}; ${formatCount(before.cycles)} ` +
        `estimated cycles ` +
        `of misses beside ${formatCount(before.instructions)} instructions`,
    ],
    [
      'tried',
      `${plural(advice.tried, 'change')} on the recorded run; a finding's change does no harm on any ` +
        `machine or under any schedule`,
    ],
  ];
  const parts = [renderLabelled(lines, width)];
  findings.forEach((finding, index) => parts.push(renderFinding(finding, index + 1, head, width)));
  if (all) {
    const words = `All changes together: ${gainOf(all.predicted)}.`;
    parts.push([...wrap(words, width), `  ${commandOf(head.trace, all.options)}`].join('\n'));
  }
  parts.push(wrap(leftOut(findings.length, left, before), width).join('\n'));
  return `${parts.join('\n\n')}\n`;
}

function renderFinding(
  { problem, others, origin, cacheperfRule, advice, change }: Finding,
  number: number,
  { trace, machines }: AdviceHead,
  width: number,
): string {
  const title = `${number}. ${spellSubject(problem)}: ${LEVEL_NAMES[problem.level]} ${KINDS[problem.kind]}`;
  const facts =
    `${formatShare(problem.cyclesShare, 1)} of the estimated cycles (${formatCount(Math.round(problem.cycles))}) and ` +
    `${formatShare(problem.missesShare, 1)} of the ${LEVEL_NAMES[problem.level]} misses ` +
    `(${formatCount(problem.misses)})` +
    mostAt(problem) +
    `${problem.isRecord && problem.fields.length > 0 ? `; fields ${problem.fields.slice(0, 4).join(', ')}` : ''}.` +
    (origin === 'allocator' ? ' The allocator makes it: with another one most of it is gone.' : '') +
    spellCacheperf(cacheperfRule);
  const sides = problem.sides;
  const pair =
    sides === null
      ? []
      : wrap(`Missed: ${spellSide(sides.missed)}. Stored: ${spellSide(sides.writer)}.`, proseWidth(width) - 3);
  const taken = others.length === 0 ? '' : ` With it goes ${listed(others.map(spellProblem))}.`;
  const what =
    change === null
      ? [...wrap(`What to do: ${advice}. No layout that was tried helps enough.`, proseWidth(width) - 3)]
      : [
          ...wrap(`What to do: ${change.text}.${spellSizes(change)}${taken}`, proseWidth(width) - 3),
          ...wrap(
            `It brings: ` +
              `${gainOf(change.predicted)}.${rangeOf(change.predicted)}${onOthers(change.predicted, machines)}`,
            proseWidth(width) - 3,
          ),
          commandOf(trace, change.options),
        ];
  return [title, ...[...wrap(facts, proseWidth(width) - 3), ...pair, ...what].map((line) => `   ${line}`)].join('\n');
}

function mostAt({ site, function: inside }: Problem): string {
  if (site === null) return '';
  return `, most at ${briefSite(site)}${inside === null ? '' : ` in ${inside}`}`;
}

function spellProblem(problem: Problem): string {
  return `${KINDS[problem.kind]} of ${spellSubject(problem)} (${formatShare(problem.cyclesShare, 1)})`;
}

function spellSizes({ sizes }: Change): string {
  return sizes
    .filter(({ bytesBefore, bytesAfter }) => bytesBefore !== bytesAfter)
    .map(({ type, bytesBefore, bytesAfter, coldBytes }) => {
      const apart = coldBytes === 0 ? '' : `, and ${coldBytes} apart`;
      return ` ${type} has ${bytesAfter} bytes instead of ${bytesBefore}${apart}.`;
    })
    .join('');
}

function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

function spellSide({ type, field, variable, function: name, site }: SharingSide): string {
  const what = field === null || field === variable ? (variable ?? type) : `${type}.${field}`;
  return `${what}${site === null ? '' : ` at ${briefSite(site)}`}${name === null ? '' : ` in ${name}`}`;
}

function gainOf({ cycles, misses }: Prediction): string {
  const part = cycles.after / Math.max(1, cycles.before);
  const levels = (['l1', 'l2', 'llc'] as const)
    .filter((level) => misses[level].before !== misses[level].after)
    .map(
      (level) => `${LEVEL_NAMES[level]} ${formatCount(misses[level].before)} -> ${formatCount(misses[level].after)}`,
    );
  const changed = levels.length === 0 ? '' : `; misses ${levels.join(', ')}`;
  return (
    `estimated cycles ${formatCount(cycles.before)} -> ${formatCount(cycles.after)}, ` +
    `${part.toFixed(2)} x${changed}`
  );
}

function rangeOf({ ratio: { low, high } }: Prediction): string {
  return low === high ? '' : ` Under each schedule: ${low.toFixed(2)} to ${high.toFixed(2)} x.`;
}

function onOthers({ machines }: Prediction, names: readonly string[]): string {
  return machines
    .slice(1)
    .map(({ before, after }, index) => ` On ${names[index + 1]}: ${(after / Math.max(1, before)).toFixed(2)} x.`)
    .join('');
}

function commandOf(trace: string, options: readonly string[]): string {
  return `dprof what-if ${trace} ${options.map((word) => (/^[\w/.=+-]+$/.test(word) ? word : `'${word}'`)).join(' ')}`;
}

function leftOut(found: number, left: readonly Problem[], { cycles, instructions }: Problems): string {
  const [largest] = left;
  const run = Math.max(1, cycles + instructions);
  const most =
    largest === undefined
      ? ''
      : `The largest: ${KINDS[largest.kind]} of ${spellSubject(largest)}, ` +
        `${formatShare(largest.cyclesShare, 1)} of the ` +
        `estimated cycles, ${formatShare(largest.cycles, run)} of the ` +
        `run${largest.site === null ? '' : `, at ${briefSite(largest.site)}`}.`;
  if (found === 0)
    return (
      `Nothing serious: nothing that was tried brings enough of the run (instructions and estimated ` +
      `cycles; --min-gain).${left.length === 0 ? '' : ` ${plural(left.length, 'problem')} left out. ${most}`}`
    );
  return left.length === 0
    ? 'Nothing is left out.'
    : `Left out: ${plural(left.length, 'problem')}, too small (--min-cycles) or without a change that ` +
        `brings enough (--min-gain). ${most}`;
}

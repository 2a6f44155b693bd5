// Stage: validation -> text, HTML. The sentences about samples beside the exact run that text and page share.

import type { Foreign } from '../validate/code-of-samples.js';
import type { Measure } from '../validate/exact-amounts.js';
import type { SamplesValidation } from '../validate/validate-samples.js';
import { formatCount, formatShare } from '../../base/format-number.js';
import { describeMachine } from '../../report/machine-line.js';
import type { Labelled } from '../../report/text-lines.js';

export const MEASURE_TEXT: Readonly<Record<Measure, string>> = {
  references: 'references',
  misses: 'L1 misses',
  cycles: 'cycles of latency',
};
export const VERDICT_TEXT = {
  agrees: 'agrees',
  differs: 'DIFFERS',
  'too-few': 'too few',
  'not-comparable': 'not compared',
} as const;
export const FOREIGN_TEXT: Readonly<Record<Foreign, string>> = {
  'c-library': 'the C library',
  recorder: "the recorder's own code",
  kernel: 'the kernel',
  'not-instrumented': 'not instrumented',
  unknown: 'unknown code',
};

export const percent = (value: number | null): string => (value === null ? '-' : value.toFixed(2));

export function spellVerdict({
  verdict,
  measures,
  tolerancePoints,
  by,
}: Pick<SamplesValidation, 'verdict' | 'measures' | 'tolerancePoints' | 'by'>): string {
  const by_ = by === 'type' ? 'types' : `${by}s`;
  if (verdict === 'not-comparable') return `NO VERDICT: ${measures[0].reason}`;
  const { measure, of, samples, enough, names } = measures.find((each) => each.verdict !== 'not-comparable')!;
  const what = measure === 'references' ? of! : MEASURE_TEXT[measure];
  switch (verdict) {
    case 'agrees':
      return (
        `AGREES: shares of ${what} of all ${formatCount(names)} ${by_} are what ${formatCount(samples)} samples ` +
        'of the exact run may say'
      );
    case 'differs':
      return `DIFFERS: shares of ${what} are not what samples of the exact run would say`;
    default:
      return (
        `TOO FEW: ${formatCount(samples)} samples do not say shares of ${what} to ${tolerancePoints} points; ` +
        `${formatCount(enough)} would do`
      );
  }
}

export function headLines({
  trace,
  samples,
  truncated,
  program,
  machine,
  schedule,
  events,
  counts,
  typed,
  untyped,
  notes,
  lost,
  skid,
}: SamplesValidation): Labelled[] {
  const list = (counted: Readonly<Record<string, number>>): string =>
    Object.entries(counted)
      .map(([what, count]) => `${formatCount(count)} ${what}`)
      .join(', ');
  const named = Object.entries(notes)
    .filter(([, count]) => count > 0)
    .map(([what, count]) => `${what}: ${formatCount(count)}`)
    .join('; ');
  return [
    ['trace', `${trace}${truncated ? ' (TRUNCATED)' : ''}`],
    ['samples', samples],
    ['program', spellProgram(program)],
    ['machine', `${describeMachine(machine)}; schedule ${schedule}`],
    [
      'events',
      events
        .map(
          ({ name, of, samples: own, leastCycles, reason }) =>
            `${name}: ${formatCount(own)} samples` +
            (of === null ? ` (${reason})` : ` of ${of}`) +
            (of !== null && leastCycles > 1 ? ` of at least ${leastCycles} cycles` : ''),
        )
        .join('; '),
    ],
    ['samples are', spellCounts(counts, typed)],
    ...(Object.keys(untyped).length === 0 ? [] : [['no type', list(untyped)] as const]),
    ...(lost === 0 ? [] : [['LOST', `${formatCount(lost)} that the kernel had no room for, or dropped`] as const]),
    ...(named === '' ? [] : [['noted', named] as const]),
    [
      'skid',
      skid.judged === 0
        ? 'no sample to judge'
        : `${formatCount(skid.skid)} of ${formatCount(skid.judged)} (${formatShare(skid.skid, skid.judged)}); ` +
          `${formatCount(skid.function)} at another line of the function, ${formatCount(skid.line)} at their line` +
          `${skid.named === 0 ? '' : `; ${formatCount(skid.named)} of a type that the trace names differently`}`,
    ],
  ];
}

/** Any sample may have a type, which says what was accessed; the trace has accesses of instrumented code alone. */
function spellCounts(
  { all, instrumented, typed: both }: SamplesValidation['counts'],
  typed: SamplesValidation['typed'],
): string {
  const withType = typed.reduce((sum, { samples }) => sum + samples, 0);
  return (
    `${formatCount(all)}: ${formatCount(withType)} with a type. ` +
    (instrumented === 0
      ? 'None was taken in an instrumented function, so none can be compared with the trace'
      : `Only the ${formatCount(instrumented)} (${formatShare(instrumented, all)}) taken in instrumented functions ` +
        `can be compared with the trace; ${formatCount(both)} of them have a type`)
  );
}

function spellProgram({ identity, traced, sampled }: SamplesValidation['program']): string {
  if (identity === 'same-build') return `${traced.file}, one build: ${traced.buildId}`;
  if (identity === 'unknown') return `${traced.file}; build ids are not known, so that it is one build nobody checked`;
  const other =
    sampled === null ? 'a program of another name' : `${sampled.file}, build id ${sampled.buildId || 'unknown'}`;
  return (
    `${traced.file}, build id ${traced.buildId || 'unknown'}; samples of ANOTHER BUILD (--other-build): ${other}. ` +
    'Only names are compared'
  );
}

// Stage: validation -> text. Samples beside the exact run: the verdict, shares side by side with their intervals, and what samples see that no trace has.

import { FOREIGN_TEXT } from '../validate/code-of-samples.js';
import type { Measure } from '../validate/exact-amounts.js';
import type { MeasureReport, SampledShare, SamplesValidation } from '../validate/validate-samples.js';
import { formatCount, formatShare } from './format-number.js';
import { describeMachine } from './machine-line.js';
import { briefSite, renderLabelled, wrap, type Labelled } from './text-lines.js';
import type { TextStyle } from './text-style.js';
import { renderTable, type TextColumn } from './text-table.js';

export const MEASURE_TEXT: Readonly<Record<Measure, string>> = { references: 'references', misses: 'L1 misses', cycles: 'cycles of latency' };
export const VERDICT_TEXT = { agrees: 'agrees', differs: 'DIFFERS', 'too-few': 'too few', 'not-comparable': 'not compared' } as const;

const right = (heading: string, expendable?: number): TextColumn => ({ heading, align: 'right', ...(expendable !== undefined && { expendable }) });
const left = (heading: string, shortest: number, expendable?: number): TextColumn => ({ heading, align: 'left', shortest, ...(expendable !== undefined && { expendable }) });

export function renderSamplesValidation(data: SamplesValidation, { top, style }: { readonly top: number; readonly style: TextStyle }): string {
  const { width, strong, hot, faint } = style;
  const more = (rows: readonly unknown[]): string => (rows.length > top ? `\n${formatCount(rows.length - top)} more: --top` : '');
  const section = <Row>(heading: string, rows: readonly Row[], render: (rows: readonly Row[], width: number) => string): string[] => (rows.length === 0 ? [] : [`${strong(heading)}\n${render(rows.slice(0, top), width)}${more(rows)}`]);
  const parts = [
    (data.verdict === 'agrees' ? strong : hot)(spellVerdict(data)),
    renderLabelled(headLines(data), width),
    [`${strong('shares of a measure')}\n${renderMeasures(data.measures, width)}`, ...data.measures.filter(({ reason }) => reason !== '').map(({ measure, reason }) => `${MEASURE_TEXT[measure]}: ${reason}`)].join('\n'),
    ...data.measures.flatMap(({ measure }) => section(`${MEASURE_TEXT[measure]} by ${data.by}, percent`, data.rows.filter((row) => row.measure === measure), renderShares)),
    ...section('served by, percent', data.levels, (rows) => renderTable([left('level', 8), right('exact'), right('sampled'), right('samples')], rows.map(({ level, exactPercent, sampledPercent, samples }) => [level, percent(exactPercent), percent(sampledPercent), formatCount(samples)]), width)),
    ...section('samples by type', data.verdict === 'not-comparable' ? data.typed : [], (rows) =>
      renderTable([right('samples'), left('type', 12), left('field', 8), left('sampled in', 12)], rows.map(({ samples, type, field, function: name }) => [formatCount(samples), type, field ?? '', name]), width)),
    ...section('samples in code that was not instrumented', data.foreign, (rows) =>
      renderTable([right('samples'), right('of all'), left('function', 12), left('module', 12), left('why', 12)], rows.map(({ reason, module, function: name, samples }) => [formatCount(samples), formatShare(samples, data.counts.all), name, briefSite(module) ?? '', FOREIGN_TEXT[reason]]), width)),
    ...section('skid: no access of the function is to this', data.skid.rows, (rows) =>
      renderTable([right('samples'), left('type', 12), left('field', 8), left('sampled in', 12), left('at', 12)], rows.map(({ samples, type, field, function: name, site }) => [formatCount(samples), type, field ?? '', name, briefSite(site) ?? '']), width)),
  ];
  return `${parts.join('\n\n')}\n${faint(wrap(noteOf(data), width - 2).map((line) => `  ${line}`).join('\n'))}\n`;
}

export function spellVerdict({ verdict, measures, tolerancePoints, by }: Pick<SamplesValidation, 'verdict' | 'measures' | 'tolerancePoints' | 'by'>): string {
  const by_ = by === 'type' ? 'types' : `${by}s`;
  if (verdict === 'not-comparable') return `NO VERDICT: ${measures[0].reason}`;
  const { measure, of, samples, enough, names } = measures.find((each) => each.verdict !== 'not-comparable')!;
  const what = measure === 'references' ? of! : MEASURE_TEXT[measure];
  switch (verdict) {
    case 'agrees':
      return `AGREES: shares of ${what} of all ${formatCount(names)} ${by_} are what ${formatCount(samples)} samples of the exact run may say`;
    case 'differs':
      return `DIFFERS: shares of ${what} are not what samples of the exact run would say`;
    default:
      return `TOO FEW: ${formatCount(samples)} samples do not say shares of ${what} to ${tolerancePoints} points; ${formatCount(enough)} would do`;
  }
}

function headLines({ trace, samples, truncated, program, machine, schedule, events, counts, untyped, skid }: SamplesValidation): Labelled[] {
  const { all, instrumented, typed } = counts;
  const reasons = Object.entries(untyped).map(([reason, count]) => `${formatCount(count)} ${reason}`).join(', ');
  return [
    ['trace', `${trace}${truncated ? ' (TRUNCATED)' : ''}`],
    ['samples', samples],
    ['program', spellProgram(program)],
    ['machine', `${describeMachine(machine)}; schedule ${schedule}`],
    ['events', events.map(({ name, of, samples: own, leastCycles, reason }) => `${name}: ${formatCount(own)} samples${of === null ? ` (${reason})` : ` of ${of}${leastCycles > 1 ? ` of at least ${leastCycles} cycles` : ''}`}`).join('; ')],
    ['samples are', `${formatCount(all)}: ${formatCount(instrumented)} (${formatShare(instrumented, all)}) in instrumented code, ${formatCount(typed)} of them with a type`],
    ...(reasons === '' ? [] : [['no type', reasons] as const]),
    ['skid', skid.judged === 0 ? 'no sample to judge' : `${formatCount(skid.skid)} of ${formatCount(skid.judged)} (${formatShare(skid.skid, skid.judged)}); ${formatCount(skid.function)} at another line of the function, ${formatCount(skid.line)} at their line`],
  ];
}

export function spellProgram({ identity, traced, sampled }: SamplesValidation['program']): string {
  if (identity === 'same-build') return `${traced.file}, one build: ${traced.buildId}`;
  if (identity === 'unknown') return `${traced.file}; build ids are not known, so that it is one build nobody checked`;
  const other = sampled === null ? 'a program of another name' : `${sampled.file}, build id ${sampled.buildId || 'unknown'}`;
  return `${traced.file}, build id ${traced.buildId || 'unknown'}; samples of ANOTHER BUILD (--other-build): ${other}. Only names are compared`;
}

function renderMeasures(measures: readonly MeasureReport[], width: number): string {
  return renderTable(
    [left('measure', 10), left('of', 5, 4), right('samples'), right('effective', 2), left('verdict', 8), right('rank correlation', 3), right('distance'), right('by chance'), right('enough', 1)],
    measures.map(({ measure, of, samples, effectiveSamples, verdict, rankCorrelation, distancePoints, chancePoints, enough }) => {
      if (verdict === 'not-comparable') return [MEASURE_TEXT[measure], of ?? '-', formatCount(samples), '', 'not compared'];
      return [MEASURE_TEXT[measure], of ?? '-', formatCount(samples), formatCount(Math.round(effectiveSamples)), VERDICT_TEXT[verdict], rankCorrelation?.toFixed(3) ?? '-', percent(distancePoints), percent(chancePoints), formatCount(enough)];
    }),
    width,
  );
}

function renderShares(rows: readonly SampledShare[], width: number): string {
  const isByFunction = rows[0].function !== null;
  const hasFields = rows.some(({ field }) => field !== null);
  return renderTable(
    [left(isByFunction ? 'function' : 'type', 16), ...(hasFields ? [left('field', 8)] : []), right('exact'), right('sampled'), right('low', 2), right('high', 2), right('samples'), left('verdict', 7)],
    rows.map(({ type, field, function: name, exactPercent, sampledPercent, lowPercent, highPercent, samples, verdict }) => [
      type ?? name ?? '', ...(hasFields ? [field ?? ''] : []), percent(exactPercent), percent(sampledPercent), percent(lowPercent), percent(highPercent), formatCount(samples), VERDICT_TEXT[verdict],
    ]),
    width,
  );
}

export const percent = (value: number | null): string => (value === null ? '-' : value.toFixed(2));

function noteOf({ measures, tolerancePoints }: SamplesValidation): string {
  const names = formatCount(measures[0].names);
  return `low, high: 95 % interval of the sampled share (Wilson). differs: at most one of twenty comparisons of ${names} names at once, drawn from the exact run, would show it (Chernoff's bound). too few: the interval is wider than ${tolerancePoints} points to a side. enough: samples that would do. distance: half the sum of all differences, in points; by chance: what it is on average where nothing else is between them. effective: as many samples of equal weight would be as sure.`;
}

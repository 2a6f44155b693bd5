// Stage: advice -> text. One paragraph for each finding, which a person can paste into a ticket.

import { adviceJson, type AdviceHead } from '../advise/advice-json.js';
import type { Advice, Finding } from '../advise/advise.js';
import type { Change, Prediction } from '../advise/prediction.js';
import {
  ALLOCATOR_MAKES_IT,
  commandOf,
  reportOf,
  factsOf,
  gainOf,
  NO_LAYOUT_HELPS,
  othersOf,
  plainText,
  rangeOf,
  ratioOf,
  runLines,
  runTimeOf,
  savingOf,
  sideOf,
  sizesOf,
  titleOf,
  type Words,
} from './advice-words.js';
import { bestTriedOf, costliestOf, isOfUse, leftOutOf } from './left-out-words.js';
import { spellCacheperf } from './cacheperf-text.js';
import { renderStruct } from './struct-text.js';
import { proseWidth, renderLabelled, wrap, type Labelled } from './text-lines.js';

const MOST_FIELDS = 4;

const INDENT = '   ';
const MARK = ' - ';

export function renderAdvice(advice: Advice, head: AdviceHead, width: number): string {
  const { findings, before, all } = advice;
  const json = adviceJson(advice, head);
  const parts = [renderLabelled([...runLines(json), ...cpiLine(head)], width)];
  findings.forEach((finding, index) => parts.push(renderFinding(finding, index + 1, before, head, width)));
  if (all) {
    const words = `All changes together: ${gainOf(all.predicted)}.${savingOf(all.predicted, before)}`;
    parts.push([...wrap(words, width), `  ${commandOf(head.trace, all.options)}`].join('\n'));
  }
  const leftOut = wrap(plainText(leftOutOf(findings.length, json.left, json)), width).join('\n');
  const costliest = costliestOf(json.left, json).map((words) => hanging(plainText(words), width));
  if (findings.length > 0) return `${[...parts, [leftOut, ...costliest].join('\n')].join('\n\n')}\n`;
  parts.push(leftOut);
  const { bestTried } = json;
  if (bestTried) {
    const command = isOfUse(bestTried) ? [`  ${commandOf(head.trace, bestTried.options)}`] : [];
    parts.push([...wrap(plainText(bestTriedOf(json)), width), ...command].join('\n'));
  }
  if (costliest.length > 0) parts.push(['What costs most, and why it is left out:', ...costliest].join('\n'));
  parts.push(`All that misses: ${reportOf(head.trace)}`);
  return `${parts.join('\n\n')}\n`;
}

function cpiLine({ cpi, isCpiMeasured }: AdviceHead): Labelled[] {
  return isCpiMeasured ? [['CPI', `${cpi} cycles of an instruction where nothing misses, as the blocks ran here`]] : [];
}

function hanging(text: string, width: number): string {
  return wrap(text, proseWidth(width) - MARK.length)
    .map((line, index) => (index === 0 ? MARK : INDENT) + line)
    .join('\n');
}

export function renderFinding(
  { problem, others, origin, cacheperfRule, advice, change }: Finding,
  number: number,
  run: Advice['before'],
  { trace, machines, lineBytes }: AdviceHead,
  width: number,
): string {
  const { fields, sides } = problem;
  const room = proseWidth(width) - INDENT.length;
  const paragraph = (...words: Words): string[] => wrap(plainText(words), room);
  const facts = paragraph(
    ...factsOf(problem, run),
    ...(fields.length === 0 ? [] : ['; fields ', { prose: fields.slice(0, MOST_FIELDS).join(', ') }]),
    '.',
    origin === 'allocator' ? ` ${ALLOCATOR_MAKES_IT}` : '',
    spellCacheperf(cacheperfRule),
  );
  const pair =
    sides === null ? [] : paragraph('Missed: ', ...sideOf(sides.missed), '. Stored: ', ...sideOf(sides.writer), '.');
  const what =
    change === null
      ? paragraph('What to do: ', { prose: advice ?? '' }, `. ${NO_LAYOUT_HELPS}`)
      : [
          ...paragraph('What to do: ', { prose: change.text }, '.', ...sizesOf(change), ...othersOf(others, run)),
          ...paragraph(
            `It brings: ${gainOf(change.predicted)}.`,
            savingOf(change.predicted, run),
            runTimeOf(change.predicted),
            rangeOf(change.predicted),
            ...onOthers(change.predicted, machines),
          ),
          commandOf(trace, change.options),
          ...renderStructs(change, lineBytes, room),
        ];
  return [`${number}. ${plainText(titleOf(problem))}`, ...[...facts, ...pair, ...what].map(indent)].join('\n');
}

/** What the change names, before and after. */
function renderStructs({ structs }: Change, lineBytes: number, width: number): string[] {
  return structs
    .filter(({ isNamed }) => isNamed)
    .flatMap(({ before, after, cold }) => [
      '',
      'Before:',
      ...renderStruct(before, lineBytes, width),
      'After:',
      ...renderStruct(after, lineBytes, width),
      ...(cold === null ? [] : renderStruct(cold, lineBytes, width)),
    ]);
}

function indent(line: string): string {
  return line === '' ? '' : INDENT + line;
}

function onOthers({ machines }: Prediction, names: readonly string[]): string[] {
  return machines.slice(1).map((cycles, index) => ` On ${names[index + 1]}: ${ratioOf(cycles)}.`);
}

// Stage: HTML page. A finding of the advice as a section, and all changes together as one.

import type { AdviceJson, ChangeJson, FindingJson, PredictionJson } from '../../src/advise/advice-schema.js';
import type { FindingKind } from '../../src/advise/problem.js';
import type { MissClass } from '../../src/contract/machine.js';
import {
  ALLOCATOR_MAKES_IT,
  commandOf,
  factsOf,
  NO_LAYOUT_HELPS,
  othersOf,
  plainText,
  sideOf,
  sizesOf,
  titleOf,
  type Words,
} from '../../src/report/advice-words.js';
import { element } from '../elements.js';
import { linkTo } from '../links.js';
import { nameElement } from '../names.js';
import { NEXT } from '../takeaway.js';
import { commandElement } from './command.js';
import { predictionFigure, predictionTable } from './prediction.js';
import { spellWords, type SourceLinks } from './spelled-words.js';
import { structsOf } from './structs.js';

export interface AdviceContext {
  readonly advice: AdviceJson;
  readonly linkOf: SourceLinks;
  /** Of the report's machine. */
  readonly lineBytes: number | undefined;
  /** That the report has. */
  readonly pages: readonly string[];
  readonly types: readonly string[];
}

/** The class of misses whose page says more of such a finding: which fields lie on a line, who stores what, ... */
const ALIKE: Readonly<Record<FindingKind, MissClass>> = {
  'false-sharing': 'false-sharing',
  'lock-and-data': 'false-sharing',
  'true-sharing': 'true-sharing',
  'cold-sharing': 'true-sharing',
  conflict: 'conflict',
  capacity: 'capacity',
  'unused-bytes': 'false-sharing',
  streaming: 'compulsory',
  straddling: 'capacity',
};

type Spell = (words: Words) => (Node | string)[];

/** A trace that has no name in the JSON. */
export const SOME_TRACE = 'run.dptrace';

export function findingSection(finding: FindingJson, index: number, context: AdviceContext): HTMLElement {
  const { origin, others, advice, change, predicted } = finding;
  const spell: Spell = (words) => spellWords(words, context.linkOf);
  const title = plainText(titleOf(finding));
  const id = `finding-${index + 1}`;
  const todo: Words =
    change === null
      ? [{ prose: advice ?? '' }, `. ${NO_LAYOUT_HELPS}`]
      : [{ prose: change.text }, '.', ...sizesOf(change), ...othersOf(others, context.advice)];
  return element(
    'section',
    { 'aria-labelledby': id },
    element('h2', { id }, `${index + 1}. `, ...spell(titleOf(finding))),
    element(
      'p',
      {},
      ...spell(factsOf(finding, context.advice)),
      '.',
      origin === 'allocator' ? element('strong', {}, ` ${ALLOCATOR_MAKES_IT}`) : '',
    ),
    ...detailsOf(finding, spell),
    ...elsewhere(finding, context),
    element('p', { class: 'todo' }, element('strong', {}, 'What to do: '), ...spell(todo)),
    ...(change === null ? [] : changeParts(title, change, predicted, `findings.${index}.predicted`, context)),
  );
}

/** Both sides of sharing, all fields, and where an array is allocated. */
function detailsOf({ sides, fields, allocatedAt }: FindingJson, spell: Spell): HTMLElement[] {
  const lines: (readonly [label: string, content: readonly (Node | string)[]])[] = [];
  if (sides !== null) lines.push(['missed', spell(sideOf(sides.missed))], ['stored', spell(sideOf(sides.writer))]);
  if (fields.length > 0) lines.push(['fields', listNames(fields)]);
  if (allocatedAt !== null) lines.push(['allocated at', spell([{ site: allocatedAt }])]);
  if (lines.length === 0) return [];
  const parts = lines.flatMap(([label, content]) => [element('dt', {}, label), element('dd', {}, ...content)]);
  return [element('dl', { class: 'labelled' }, ...parts)];
}

/** More of the type on another page. */
function elsewhere({ kind, type }: FindingJson, { pages, types }: AdviceContext): HTMLElement[] {
  const { page, label } = NEXT[ALIKE[kind]];
  if (!pages.includes(page) || !types.includes(type)) return [];
  return [element('p', {}, element('a', { class: 'next', href: linkTo(page, { type }) }, `${label} →`))];
}

function listNames(names: readonly string[]): (Node | string)[] {
  return names.flatMap((name, index) => [index === 0 ? '' : ', ', nameElement(name)]);
}

function changeParts(
  subject: string,
  change: ChangeJson,
  predicted: PredictionJson | null,
  path: string,
  { advice, lineBytes }: AdviceContext,
): HTMLElement[] {
  return [
    ...structsOf(change.structs, lineBytes),
    ...(predicted === null
      ? []
      : [predictionFigure(subject, predicted), predictionTable(subject, predicted, advice.machines, path)]),
    commandElement(commandOf(advice.trace ?? SOME_TRACE, change.options)),
  ];
}

export function allTogether(context: AdviceContext): HTMLElement[] {
  const { all } = context.advice;
  if (all === null) return [];
  return [
    element(
      'section',
      { 'aria-labelledby': 'all-changes' },
      element('h2', { id: 'all-changes' }, 'All changes together'),
      element('p', { class: 'todo' }, ...spellWords([{ prose: all.text }, '.', ...sizesOf(all)], context.linkOf)),
      ...changeParts('all changes together', all, all.predicted, 'all.predicted', context),
    ),
  ];
}

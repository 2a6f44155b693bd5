// Stage: HTML page. The parts that all pages of a comparison share: the two runs, the choice of numbers, and the
// warning that more than the program differs.

import type { Diff } from '../../src/diff/diff.js';
import type { PathChange } from '../../src/diff/path-changes.js';
import type { TypeChangeRow } from '../../src/diff/type-changes.js';
import type { Rows } from '../../src/report/json.js';
import { element } from '../elements.js';
import { linkTo } from '../links.js';
import { spellName } from '../names.js';
import type { PageContext, PageDefinition } from '../pages/page-definition.js';
import { askedNumbers, type Numbers } from './numbers.js';
import { plural } from '../../src/base/format-number.js';

const VIEW = 'diff';
const MOST_NAMED = 6;

export interface ComparisonContext extends PageContext {
  /** Its rows are of whole types, and paths have none: those are unpacked where they are shown. */
  readonly diff: Diff;
  readonly fieldsOf: (type: string) => Promise<readonly TypeChangeRow[]>;
  readonly paths: () => Promise<readonly PathChange[]>;
  readonly numbers: Numbers;
  /** The same page, with some of its words changed. */
  readonly ask: (changed: Readonly<Record<string, string>>) => void;
}

export interface ComparisonPage extends Pick<PageDefinition, 'id' | 'title' | 'group'> {
  /** Its own words say what differs. */
  readonly saysDifferences?: boolean;
  readonly render: (context: ComparisonContext) => readonly Node[] | Promise<readonly Node[]>;
}

export function comparisonPage({ saysDifferences = false, render, ...named }: ComparisonPage): PageDefinition {
  return {
    ...named,
    needs: [VIEW],
    async render(context) {
      const { report, words, go } = context;
      const diff = await report.view<Diff>(VIEW);
      const ask = (changed: Readonly<Record<string, string>>): void => go({ ...Object.fromEntries(words), ...changed });
      const fieldsOf = (type: string): Promise<TypeChangeRow[]> => report.rowsOf(`${VIEW}-fields`, type);
      const paths = async (): Promise<readonly PathChange[]> =>
        (await report.view<Rows & { readonly rows: readonly PathChange[] }>(`${VIEW}-paths`)).rows;
      const content = await render({ ...context, diff, fieldsOf, paths, numbers: askedNumbers(diff, words), ask });
      return [...(saysDifferences ? [] : warning(diff)), ...content];
    },
  };
}

function warning({ madeDifferently }: Diff): HTMLElement[] {
  if (madeDifferently.length === 0) return [];
  const named = madeDifferently.slice(0, MOST_NAMED).map(({ what }) => what);
  const more = madeDifferently.length - named.length;
  return [
    element(
      'p',
      { class: 'different' },
      element('strong', {}, 'DIFFERENT'),
      ` Not only the program: the runs were made differently in ${plural(madeDifferently.length, 'way')} (`,
      element('bdi', {}, spellName(named.join(', '))),
      more > 0 ? `, and ${more} more). ` : '). ',
      element('a', { href: linkTo('runs') }, 'What that means →'),
    ),
  ];
}

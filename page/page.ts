// Stage: HTML page. The script's entry: it builds the frame around the pages, and shows the page that the address
// names.

import type { Diff } from '../src/diff/diff.js';
import type { SampledView, View } from '../src/views/view.js';
import { COMPARISON_PAGES } from './comparison/all-pages.js';
import { button, element } from './elements.js';
import { linkTo, readLink } from './links.js';
import { spellName } from './names.js';
import { PAGES } from './pages/all-pages.js';
import type { PageDefinition } from './pages/page-definition.js';
import { Report } from './report.js';
import { RESAMPLING_PAGES } from './resampling/all-pages.js';
import { sampledNotice } from './sampled.js';
import { subjectOf } from './subject.js';
import { buildThemeSwitch } from './theme.js';
import { VALIDATION_PAGES } from './validation/all-pages.js';

const report = await Report.open();
const envelope = report.has('data-profile')
  ? await report.envelope<View<unknown> | SampledView<unknown>>('data-profile')
  : undefined;
const diff = report.has('diff') ? await report.envelope<Diff>('diff') : undefined;
const sides = [envelope, diff?.before, diff?.after].filter((side) => side !== undefined);
/**
 * Pages that the report has data for. Samples cannot say which set an access missed in, so they have no page of sets.
 */
const isThere = ({ id, needs }: PageDefinition): boolean =>
  needs.some((key) => report.has(key)) && !(id === 'sets' && envelope?.sampled !== undefined);
const pages = [...PAGES, ...COMPARISON_PAGES, ...RESAMPLING_PAGES, ...VALIDATION_PAGES].filter(isThere);
const program = spellName(await subjectOf(report));

const main = element('main', { id: 'main' });
const links = new Map(pages.map((page) => [page.id, element('a', { href: linkTo(page.id) }, page.title)]));

document.body.prepend(
  element('a', { class: 'skip', href: '#main' }, 'Skip to the page'),
  element(
    'header',
    {},
    element('a', { class: 'brand', href: linkTo('overview') }, 'dprof'),
    element('bdi', { class: 'program', title: program }, program),
    element('span', { class: 'space' }),
    button('Print', () => print(), { class: 'quiet' }),
    buildThemeSwitch(),
  ),
  element('nav', { 'aria-label': 'Pages' }, ...groupsOf(pages)),
  main,
);
// The address says which page is shown, so the way past the navigation must not change it.
document.querySelector<HTMLAnchorElement>('.skip')!.addEventListener('click', (event) => {
  event.preventDefault();
  main.querySelector('h1')?.focus();
});

function groupsOf(all: readonly PageDefinition[]): HTMLElement[] {
  return [...new Set(all.map(({ group }) => group))].map((group) =>
    element(
      'div',
      { class: 'group' },
      element('h2', { id: `group-${group}` }, group),
      element(
        'ul',
        { 'aria-labelledby': `group-${group}` },
        ...all.filter((page) => page.group === group).map(({ id }) => element('li', {}, links.get(id)!)),
      ),
    ),
  );
}

let shown = 0;

async function show(isFirst: boolean): Promise<void> {
  const { page: id, words } = readLink(location.hash);
  const page =
    pages.find((one) => one.id === id) ??
    (id === 'struct-layout' ? pages.find((one) => one.id === 'miss-classes') : undefined) ??
    pages[0];
  const turn = ++shown;
  for (const [name, link] of links) {
    if (name === page.id) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  document.title = `${page.title} - ${program} - dprof`;
  main.setAttribute('aria-busy', 'true');
  const go = (asked: Readonly<Record<string, string>>): void => void (location.hash = linkTo(page.id, asked));
  const content = await page.render({ report, words, go, pages: pages.map((one) => one.id) });
  if (turn !== shown) return;
  const before = main.dataset.page === page.id ? focusIn(main) : null;
  const heading = element('h1', { tabindex: -1 }, page.title);
  const notice = sides.map(sampledNotice).find((made) => made !== null) ?? null;
  main.replaceChildren(heading, ...(notice === null ? [] : [notice]), ...content);
  main.setAttribute('aria-busy', 'false');
  main.dataset.page = page.id;
  if (before !== null) before();
  else if (!isFirst) {
    scrollTo(0, 0);
    heading.focus({ preventScroll: true });
  }
}

/**
 * Remembers the control or link that the reader has just used, to find it again in a newly drawn page: a control by its
 * place, a link by its target.
 */
function focusIn(whole: HTMLElement): (() => void) | null {
  const active = document.activeElement as HTMLElement | null;
  const controls = (): HTMLElement[] => [
    ...whole.querySelectorAll<HTMLElement>('.controls select, .controls input, .controls button'),
  ];
  const place = controls().findIndex((control) => control === active);
  const target = active?.getAttribute('href');
  if (place >= 0) return () => controls()[place]?.focus({ preventScroll: true });
  if (!whole.contains(active) || !target) return null;
  return () =>
    [...whole.querySelectorAll<HTMLElement>('a')]
      .find((link) => link.getAttribute('href') === target)
      ?.focus({ preventScroll: true });
}

addEventListener('hashchange', () => void show(false));
await show(true);

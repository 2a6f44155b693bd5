// Stage: views -> HTML. All of a profile's views, or a comparison -> one file that needs nothing else.
// Names of the program stand in it packed only: what is written as markup here is the same for every report.

import { setImmediate } from 'node:timers/promises';
import type { AdviceJson } from '../advise/advice-schema.js';
import type { Diff } from '../diff/diff.js';
import type { Profile } from '../profile/profile.js';
import type { Rows } from '../report/json.js';
import type { Blocks } from '../views/blocks.js';
import { annotateSource, listSourceFiles, type SourceText } from '../views/annotated-source.js';
import type { CodeCycles } from '../views/line-cycles.js';
import type { Cpi, View } from '../views/view.js';
import { buildView, placeInReport, viewsOf } from '../views/views.js';
import { pack, packView, type EmbeddedView, type PackedView } from './embedded-view.js';
import { hashSource, readPageAssets } from './page-assets.js';

export interface HtmlOptions {
  /** By name as the compiler was given it. */
  readonly readSources: (files: readonly string[]) => ReadonlyMap<string, SourceText>;
  /** The limit for each type. */
  readonly mostPaths: number;
  readonly advice?: AdviceJson;
  readonly blocks?: Blocks;
  /** Cycles of the program's lines. */
  readonly code?: CodeCycles;
  /** For estimated run time. */
  readonly cpi?: Cpi;
}

/** Advice as the page reads it: it has no rows. */
export type PackedAdvice = AdviceJson & Rows;

/** The first thing that the page reads. */
export interface PageContents {
  readonly views: readonly EmbeddedView[];
}

/** `onView`: before each view is made. Between two of them whoever shows progress has a turn. */
export async function renderHtml(
  profile: Profile,
  options: HtmlOptions,
  onView: (name: string) => void,
): Promise<string> {
  const { advice, blocks } = options;
  const views: PackedView[] = [];
  if (advice !== undefined) views.push(packView('advice', { ...advice, rows: [] } satisfies PackedAdvice));
  for (const [name, packed] of packViews(profile, options)) {
    onView(name);
    await setImmediate();
    views.push(packed());
  }
  if (blocks !== undefined) views.push(packView('blocks', blocks));
  return renderViews(views);
}

/**
 * The page of two runs. Each row is a row of `dprof diff --format json`; the order lets a page unpack only what it
 * shows: `diff` has the rows of whole types, `diff-fields` those of fields, type by type, and `diff-paths` those of
 * paths.
 */
export async function renderComparison(diff: Diff, onView: (name: string) => void): Promise<string> {
  const { schema, paths, rows } = diff;
  const wholes: Diff = {
    ...diff,
    paths: paths && { ...paths, rows: [] },
    rows: rows.filter(({ field }) => field === null),
  };
  const packs: [name: string, packed: (name: string) => PackedView][] = [
    ['diff', (name) => packView(name, wholes)],
    [
      'diff-fields',
      (name) => packView(name, { schema, rows: rows.filter(({ field }) => field !== null) }, { isByGroup: true }),
    ],
    ...(paths === null
      ? []
      : [['diff-paths', (name) => packView(name, { schema, rows: paths.rows })] satisfies (typeof packs)[number]]),
  ];
  const views: PackedView[] = [];
  for (const [name, packed] of packs) {
    onView(name);
    await setImmediate();
    views.push(packed(name));
  }
  return renderViews(views);
}

export function renderViews(views: readonly PackedView[]): string {
  const contents: PageContents = { views: views.map(({ packed: _, ...view }) => view) };
  return renderPage([
    dataBlock('contents', [pack(JSON.stringify(contents))]),
    ...views.map(({ packed }, index) => dataBlock(`view-${index}`, packed)),
  ]);
}

function* packViews(
  profile: Profile,
  { readSources, mostPaths, code, cpi }: HtmlOptions,
): Generator<readonly [name: string, packed: () => PackedView]> {
  for (const name of viewsOf(profile)) {
    const place = placeInReport(name);
    if (place === 'left out') continue;
    yield [
      name,
      () =>
        packView(name, buildView(profile, name, { cpi }) as View<unknown>, {
          isByGroup: place === 'by type',
          ...(name === 'path-traces' && { mostRows: mostPaths }),
        }),
    ];
  }
  // Lines of source have no intervals yet.
  if (profile.sampled !== undefined) return;
  const files = listSourceFiles(profile, { code });
  yield [
    'annotated-source',
    () =>
      packView('annotated-source', annotateSource(profile, { code }, files, readSources(files), false), {
        isByGroup: true,
      }),
  ];
}

/** base64 has no character that means anything in markup. */
function dataBlock(id: string, packed: readonly string[]): string {
  return `<script type="application/octet-stream" id="${id}">${packed.join(' ')}</script>`;
}

function renderPage(blocks: readonly string[]): string {
  const { script, style, chartStyle } = readPageAssets();
  const policy =
    `default-src 'none'; script-src ${hashSource(script)}; style-src ${hashSource(style)} ` +
    `${hashSource(chartStyle)}; base-uri 'none'; form-action 'none'`;
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="generator" content="dprof">',
    '<meta name="color-scheme" content="light dark">',
    '<title>dprof report</title>',
    `<style>${style}</style>`,
    '</head>',
    '<body>',
    '<noscript>This report draws its tables itself and needs JavaScript for that. It asks no server for ' +
      'anything.</noscript>',
    ...blocks,
    `<script type="module">${script}</script>`,
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

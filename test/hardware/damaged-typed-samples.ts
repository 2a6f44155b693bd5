// Stage: test. Typed samples as a hostile writer makes them, by seed: any number, text or list of the tables, any row
// of the columns is another. Then through everything that takes them: each is a result that can be shown, or one typed
// error.

import { DprofError } from '../../src/base/dprof-error.js';
import { buildDiff } from '../../src/diff/diff.js';
import { dumpSamples } from '../../src/hardware/report/sample-lines.js';
import { EXPORT_FORMATS } from '../../src/exports/formats.js';
import { MEASURES } from '../../src/exports/samples.js';
import { choosePopular } from '../../src/hardware/samples/popular-slots.js';
import { summariseSamples } from '../../src/hardware/samples/sample-summary.js';
import { decodeSamples, type OpenedSamples } from '../../src/hardware/samples/samples-reader.js';
import type { TypedSamples } from '../../src/hardware/samples/typed-samples.js';
import { renderHtml } from '../../src/html/html-report.js';
import { renderSamplesValidationPage } from '../../src/hardware/report/validation-pages.js';
import { mergeProfiles } from '../../src/profile/merge-profiles.js';
import { decodeProfile } from '../../src/profile/profile-reader.js';
import { encodeProfile } from '../../src/profile/profile-writer.js';
import type { Profile } from '../../src/profile/profile.js';
import { renderCsv } from '../../src/report/csv.js';
import { renderDiff } from '../../src/report/diff-text.js';
import { renderJson } from '../../src/report/json.js';
import { renderPopular } from '../../src/hardware/report/popular-text.js';
import { renderSampleSummary } from '../../src/hardware/report/sample-summary-text.js';
import { renderSamplesValidation } from '../../src/hardware/report/samples-validation-text.js';
import { renderText } from '../../src/report/text-report.js';
import { chooseStyle } from '../../src/report/text-style.js';
import type { View } from '../../src/views/view.js';
import { buildView, viewsOf } from '../../src/views/views.js';
import type { RandomNumbers } from '../random/random-numbers.js';
import { profileOf, drawnHistories } from './sampled/sampled-fixture.js';
import { compare, drawRun } from './validate/drawn-comparison.js';
import { writeTyped } from './written-samples.js';

const NUMBERS: readonly unknown[] = [
  0,
  1,
  -1,
  0.5,
  2 ** 31,
  2 ** 32 - 1,
  2 ** 53 - 1,
  2 ** 53,
  1e15,
  1e308,
  -1e308,
  null,
  '7',
  '',
  true,
  [],
  {},
  NaN,
];
const TEXTS: readonly unknown[] = [
  '',
  '\u0000',
  '</script><script>alert(1)</script>',
  '\u202egnp.\u2066',
  'a\r\nb\tc',
  '\u001b[31mred\u001b]0;title\u0007',
  '\ud800',
  '__proto__',
  'constructor',
  '"\\',
  '18446744073709551615',
  '99999999999999999999',
  '0',
  'x'.repeat(5000),
  7,
  null,
  [],
  {},
];
const WORDS = [0n, 1n, 2n ** 31n, 2n ** 32n, 2n ** 53n, 2n ** 63n, 2n ** 64n - 1n];
const FRACTIONS = [0, -1, 1e-300, 1e15, 1e308, -1e308, Infinity, -Infinity, NaN];
const HALVES = [0, 1, 255, 65_535, 65_536, 2 ** 31, 2 ** 32 - 1];

type Table = Record<string, unknown>;

/** One to four changes. */
export function damageTyped(typed: TypedSamples, random: RandomNumbers): TypedSamples {
  const { rows, objects, ...tables } = structuredClone(typed) as TypedSamples &
    Record<'rows' | 'objects', Record<string, BigUint64Array>>;
  for (let count = random.between(1, 4); count > 0; count--) {
    if (random.chance(50)) damageColumn(random.chance(65) ? rows : objects, random);
    else damageTable(tables as unknown as Table, random);
  }
  // Sums that are checked first are mended, mostly: what is behind them is to be met.
  if (random.chance(90)) mendSums(tables as unknown as TypedSamples, rows as unknown as TypedSamples['rows']);
  return { ...tables, rows, objects } as unknown as TypedSamples;
}

function damageColumn(
  table: Record<string, { readonly length: number; [row: number]: unknown }>,
  random: RandomNumbers,
): void {
  const column = table[random.pick(Object.keys(table))];
  const from = random.below(column.length);
  const value =
    column instanceof BigUint64Array
      ? random.pick(WORDS)
      : column instanceof Float64Array
        ? random.pick(FRACTIONS)
        : random.pick(HALVES);
  for (let row = from; row < (random.chance(30) ? column.length : from + 1); row++) column[row] = value;
}

function damageTable(table: Table, random: RandomNumbers): void {
  let [at, key] = [table, random.pick(Object.keys(table))];
  while (
    typeof at[key] === 'object' &&
    at[key] !== null &&
    Object.keys(at[key] as Table).length > 0 &&
    !random.chance(4)
  ) {
    at = at[key] as Table;
    key = random.pick(Object.keys(at));
  }
  if (random.chance(6)) delete at[key];
  else if (Array.isArray(at) && random.chance(30)) at.push(structuredClone(at[Number(key)]));
  else
    at[key] = random.pick(random.chance(20) ? [...NUMBERS, ...TEXTS] : typeof at[key] === 'string' ? TEXTS : NUMBERS);
}

function mendSums({ events, untyped }: TypedSamples, rows: TypedSamples['rows']): void {
  if (!Array.isArray(events) || untyped === null || typeof untyped !== 'object') return;
  events.forEach((event: Table | null, index: number) => {
    if (event !== null && typeof event === 'object')
      event.samples = rows.event.reduce((sum, of, row) => (of === index ? sum + rows.samples[row] : sum), 0);
  });
  const all = rows.type.reduce((sum, type, row) => (type === 0 ? sum + rows.samples[row] : sum), 0);
  Object.assign(
    untyped,
    Object.fromEntries(Object.keys(untyped).map((reason, index) => [reason, index === 0 ? all : 0])),
  );
}

/** Everything but what has no meaning as text: no terminal is to obey any of it. */
function requireVisible(what: string, text: string): void {
  const unseen = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/.exec(text);
  if (unseen !== null)
    throw new Error(
      `${what}: ${JSON.stringify(text.slice(Math.max(0, unseen.index - 40), unseen.index + 20))} is not visible`,
    );
  if (/\b(NaN|undefined|Infinity|\[object Object\])\b/.test(text))
    throw new Error(`${what}: ${/.{0,60}\b(NaN|undefined|Infinity|\[object Object\])\b.{0,20}/.exec(text)![0]}`);
}

function requireInert(what: string, page: string): void {
  const scripts = page.split('<script').length - 1;
  const blocks = page.split('<script type="application/octet-stream"').length - 1;
  if (scripts !== blocks + 1 || page.includes('alert(1)'))
    throw new Error(`${what}: ${scripts} scripts, of which ${blocks} are data`);
}

const STYLE = { top: 20, style: chooseStyle({}, {}) };
const RUN = drawRun(
  '30 R packet.len in send\n10 R packet.next in take\n20 R table.size in send\n20 W table.size in take',
);

/** A consumer's own refusal is one line and a hint; anything else that is thrown is the caller's. */
async function tolerate(work: () => unknown): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (!(error instanceof DprofError) || error.message === '' || error.hint === '') throw error;
    return false;
  }
}

export interface Consumed {
  refusedByReader: number;
  shown: number;
}

export async function consumeTyped(typed: TypedSamples, random: RandomNumbers, counts: Consumed): Promise<void> {
  let read: TypedSamples | null = null;
  const isRead = await tolerate(() => {
    const opened: OpenedSamples = decodeSamples(writeTyped(typed));
    read = opened.typed();
    for (const line of dumpSamples(opened)) requireVisible('dump', line);
  });
  if (!isRead || read === null) return void counts.refusedByReader++;
  const samples: TypedSamples = read;
  await tolerate(() => requireVisible('summary', renderSampleSummary(summariseSamples(samples), STYLE)));
  await tolerate(() =>
    requireVisible(
      'popular',
      renderPopular(choosePopular(samples, { types: 64, slots: 64, width: 8 }), 'x', STYLE.style),
    ),
  );
  await tolerate(() => {
    const data = compare(RUN, samples, { by: random.pick(['type', 'field', 'function'] as const) });
    requireVisible('validation', renderSamplesValidation(data, STYLE));
    JSON.parse([...renderJson(data)].join(''));
    requireInert('validation', renderSamplesValidationPage(data));
  });
  let profile: Profile | undefined;
  await tolerate(
    () =>
      void (profile = profileOf([samples], {
        histories: samples.run.command[0] === 'drawn' && random.chance(50) ? drawnHistories() : undefined,
        by: random.pick(['function', 'line', 'ip'] as const),
      })),
  );
  if (profile === undefined) return;
  await showProfile(profile, random);
  counts.shown++;
}

async function showProfile(built: Profile, random: RandomNumbers): Promise<void> {
  const profile = decodeProfile(Buffer.concat(encodeProfile(built)));
  const views = new Map(viewsOf(profile).map((name) => [name, buildView(profile, name, {})]));
  requireVisible('report', renderText(views, STYLE));
  for (const view of views.values()) {
    JSON.parse([...renderJson(view as View<unknown>)].join(''));
    for (const line of renderCsv((view as View<object>).rows)) void line;
  }
  if (random.chance(10))
    requireInert('html', await renderHtml(profile, { readSources: () => new Map(), mostPaths: 10 }, () => {}));
  const named = { name: 'A', profile };
  await tolerate(() => requireVisible('diff', renderDiff(buildDiff(named, { name: 'B', profile }), STYLE)));
  await tolerate(() => decodeProfile(Buffer.concat(encodeProfile(mergeProfiles([named, { name: 'B', profile }])))));
  for (const format of Object.values(EXPORT_FORMATS)) {
    await tolerate(() => {
      for (const part of format.write(profile, {
        view: format.views[0] ?? 'data-profile',
        measure: MEASURES[0],
        options: {},
      }))
        void part;
    });
  }
}

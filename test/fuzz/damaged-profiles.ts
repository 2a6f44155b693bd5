// Damaged profiles with every table there is, through all that takes a profile: a result, or one typed error, within
// limits of time and memory.

import { DprofError } from '../../src/base/dprof-error.js';
import { buildDiff } from '../../src/diff/diff.js';
import { EXPORT_FORMATS } from '../../src/exports/formats.js';
import { MEASURES } from '../../src/exports/samples.js';
import { renderHtml } from '../../src/html/html-report.js';
import { mergeProfiles } from '../../src/profile/merge-profiles.js';
import { decodeProfile } from '../../src/profile/profile-reader.js';
import { encodeProfile } from '../../src/profile/profile-writer.js';
import type { Profile } from '../../src/profile/profile.js';
import { renderAnnotatedSource } from '../../src/report/annotated-source-text.js';
import { renderAnnotatedType } from '../../src/report/annotated-type-text.js';
import { csvRows } from '../../src/report/csv-rows.js';
import { renderCsv } from '../../src/report/csv.js';
import { renderDiff } from '../../src/report/diff-text.js';
import { renderJson } from '../../src/report/json.js';
import { renderText } from '../../src/report/text-report.js';
import { chooseStyle } from '../../src/report/text-style.js';
import { annotateSource, listSourceFiles } from '../../src/views/annotated-source.js';
import { annotateType } from '../../src/views/annotated-type.js';
import type { View } from '../../src/views/view.js';
import { buildView, VIEW_NAMES } from '../../src/views/views.js';
import { RandomNumbers } from '../random/random-numbers.js';
import { damageProfile, type PackedProfile } from './damage-profile.js';
import { watchLimits } from './limits.js';

const style = chooseStyle({ columns: 80 }, {});
const drain = (parts: Iterable<unknown>): void => {
  for (const _ of parts);
};

/** All that takes a profile, by the name of the command; `whole` is one without damage. */
const uses: Readonly<Record<string, (profile: Profile, whole: Profile) => unknown>> = {
  ...Object.fromEntries(
    VIEW_NAMES.map((name) => [
      `report --view ${name}`,
      (profile: Profile) => {
        const view = buildView(profile, name, {});
        renderText(new Map([[name, view]]), { top: 20, style });
        drain(renderJson(view as View<unknown>));
        drain(renderCsv(csvRows(view)));
      },
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(EXPORT_FORMATS).map(([name, { write, views }]) => [
      `export --to ${name}`,
      (profile: Profile) =>
        drain(write(profile, { view: views[0] ?? 'data-profile', measure: MEASURES[1], options: {} })),
    ]),
  ),
  'export --to dot --view data-flow': (profile) =>
    drain(EXPORT_FORMATS.dot.write(profile, { view: 'data-flow', measure: MEASURES[1], options: {} })),
  annotate: (profile) =>
    renderAnnotatedSource(annotateSource(profile, {}, listSourceFiles(profile, {}), new Map(), false), style),
  'annotate --type': (profile) => {
    for (const { name } of (profile.layouts ?? []).slice(0, 3))
      renderAnnotatedType(annotateType(profile, name, 'offset'), style, 20);
  },
  diff: (profile, whole) => {
    const diff = buildDiff({ name: 'a', profile }, { name: 'b', profile: whole });
    renderDiff(diff, { top: 20, style });
    drain(renderJson(diff));
  },
  merge: (profile, whole) =>
    encodeProfile(
      mergeProfiles([
        { name: 'a', profile },
        { name: 'b', profile: whole },
      ]),
    ),
  write: (profile) => encodeProfile(profile),
  html: (profile) => renderHtml(profile, { readSources: () => new Map(), mostPaths: 100 }, () => {}),
};

/** Whether the reader refused it. */
export async function useDamagedProfile(seed: number, packed: PackedProfile, whole: Profile): Promise<boolean> {
  const file = damageProfile(packed, new RandomNumbers(seed));
  let profile: Profile | undefined;
  await attempt(`seed ${seed}, reading`, () => (profile = decodeProfile(file)));
  if (profile === undefined) return true;
  for (const [name, use] of Object.entries(uses)) await attempt(`seed ${seed}, ${name}`, () => use(profile!, whole));
  return false;
}

async function attempt(label: string, work: () => unknown): Promise<void> {
  const tooMuch = watchLimits();
  try {
    await work();
  } catch (error) {
    if (!(error instanceof DprofError)) throw new Error(`${label}: no typed error`, { cause: error });
    if (error.message === '' || error.hint === '')
      throw new Error(`${label}: an error without a message or a hint: ${error.message}`);
  }
  const found = tooMuch();
  if (found !== undefined) throw new Error(`${label}: ${found}`);
}

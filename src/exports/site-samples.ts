// Stage: profile -> exports. The samples of `--by site`: what was missed on the objects of each allocation, at the path
// of calls that led to it. Objects that are variables stand where they are declared.

import { DprofError } from '../base/dprof-error.js';
import { isTypeAsked } from '../base/type-name.js';
import { CLASSES } from '../contract/machine.js';
import { OBJECT_COUNTERS } from '../contract/result.js';
import type { Profile } from '../profile/profile.js';
import { spellName } from '../views/sites.js';
import { outsideObjects } from '../views/object-misses.js';
import { sumSites } from '../views/site-misses.js';
import { byMissesThenName } from '../views/counter-sums.js';
import type { RowFilter } from '../views/view.js';
import type { ExportPlace, ExportSample, ExportSums } from './export-sample.js';

const UNKNOWN: ExportPlace = { function: null, file: null, line: 0 };

/** Most L1 misses first, then by names. */
export function listSiteSamples(profile: Profile, { type: asked }: RowFilter): ExportSample[] {
  if (profile.sampled !== undefined)
    throw new DprofError('samples do not say which misses an object had', 'leave out --by site, or give a trace', 2);
  const { strings, types } = profile;
  const samples = sumSites(profile).map((own): ExportSample => {
    const variable = spellName(profile, own.variable);
    const [charged, ...inlined] = pathOf(profile, own.site);
    const sums = sumsOf(own.references, (counter) => own.counters[OBJECT_COUNTERS.indexOf(counter)] ?? 0);
    const place = variable === null ? charged : { ...charged, function: variable };
    return { type: strings[types.name[own.type]], field: null, ...place, callers: [], inlined, sums };
  });
  const rest = outsideObjects(profile);
  const ofRest = (counter: string): number => {
    if (counter === 'missLatencyCycles') return rest.missLatencyCycles;
    const [level, name] = counter.split('.') as ['l1', 'conflict'];
    return rest.levels[level]?.classes[name] ?? 0;
  };
  if (rest.references > 0)
    samples.push({
      type: rest.type,
      field: null,
      ...UNKNOWN,
      callers: [],
      inlined: [],
      sums: sumsOf(rest.references, ofRest),
    });
  const spelled = ({ sums: _, ...names }: ExportSample): string => JSON.stringify(names);
  return samples
    .filter(({ type }) => asked === undefined || isTypeAsked(type, asked))
    .sort((a, b) => byMissesThenName(a.sums.misses('l1'), spelled(a), b.sums.misses('l1'), spelled(b)));
}

/** From the outermost caller that is known inwards, to the allocation. */
function pathOf({ sites, strings }: Profile, site: number): ExportPlace[] {
  const places: ExportPlace[] = [];
  for (let at = site; at !== 0; at = sites.caller[at]) {
    places.unshift({
      function: strings[sites.function[at]] || null,
      file: strings[sites.file[at]] || null,
      line: sites.line[at],
    });
  }
  return places.length === 0 ? [UNKNOWN] : places;
}

function sumsOf(references: number, get: (counter: string) => number): ExportSums {
  return {
    references,
    get,
    misses: (level) => CLASSES.reduce((sum, name) => sum + get(`${level}.${name}`), 0),
  };
}

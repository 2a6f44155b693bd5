// Stage: profile -> views. The paths of a profile by what a person would look at: each place is the program's own
// frame, steps that are then in one place on one core are one, and so are paths that then read the same.
// docs/data-flow.md, "Own frames".

import { NO_INDEX } from '../base/ids.js';
import { columnsOf, ColumnRows } from '../profile/column-rows.js';
import { firstStepsOf, FlowRows } from '../profile/flow-rows.js';
import type { Flow } from '../profile/flow.js';
import { OBJECT_KINDS, type Profile } from '../profile/profile.js';
import type { Renumber } from '../profile/table-rows.js';
import { FLOW_TABLES } from '../profile/tables.js';
import { framesOf } from './frames.js';

const { steps: STEPS } = FLOW_TABLES;
const heap = OBJECT_KINDS.indexOf('heap');
const SAME: Renumber = { type: (number) => number, site: (number) => number, string: (number) => number };

/** Of the last choice of frames: three views ask for the same. */
const known = new WeakMap<Flow, { readonly choice: string; readonly own: Flow }>();

/** Histories are told apart path by path, and know no inlined frames: theirs stay. */
export function ownPaths(profile: Profile, flow: Flow): Flow {
  if (profile.sampled !== undefined) return flow;
  const choice = JSON.stringify(profile.frames ?? {});
  const last = known.get(flow);
  if (last?.choice === choice) return last.own;
  const own = joinPaths(profile, flow);
  known.set(flow, { choice, own });
  return own;
}

function joinPaths(profile: Profile, flow: Flow): Flow {
  const places = new Places(profile, flow);
  const { paths } = flow;
  const { steps, counts } = joinSteps(flow, flow.steps.site.map(places.step));
  const rows = new FlowRows('run');
  rows.addPaths(
    {
      ...paths,
      site: paths.site.map((site, row) => (paths.kind[row] === heap ? places.allocation(site) : site)),
      freeSite: paths.freeSite.map(places.free),
      steps: counts,
    },
    steps,
    firstStepsOf(counts),
  );
  const own = rows.freeze(flow, SAME);
  return { ...flow, paths: own.paths, steps: own.steps };
}

/** A step goes on where the next one is in its place and on its core. What was cut has no place. */
function joinSteps({ by, paths, steps }: Flow, site: Uint32Array): { steps: Flow['steps']; counts: Uint32Array } {
  const named = { ...steps, site };
  if (by === 'ip') return { steps: named, counts: paths.steps };
  const begun = columnsOf(STEPS.columns, named);
  const goesOn = columnsOf(STEPS.columns, { ...named, time: new Float64Array(site.length) });
  const joined = new ColumnRows(STEPS.columns, 'run');
  const counts = new Uint32Array(paths.steps.length);
  let at = 0;
  paths.steps.forEach((count, path) => {
    for (const end = at + count, first = at; at < end; at++) {
      const isOther = at === first || steps.changesCore[at] === 1 || site[at] === NO_INDEX || site[at] !== site[at - 1];
      if (isOther) {
        joined.append(begun, at, 1);
        counts[path]++;
      } else joined.add(joined.count - 1, goesOn, at);
    }
  });
  return { steps: joined.freeze(Uint32Array.from({ length: joined.count }, (_, row) => row)), counts };
}

type Numbers = (site: number) => number;

/** Sites that read the same have one number: the smallest. */
class Places {
  readonly step: Numbers;
  readonly allocation: Numbers;
  readonly free: Numbers;

  constructor(
    private readonly profile: Profile,
    { by, paths, steps }: Flow,
  ) {
    const frames = framesOf(profile);
    this.step = this.#numbers(steps.site, by, (site) => (by === 'ip' ? site : frames.charged(site)));
    this.allocation = this.#numbers(paths.site, 'line', (site) => frames.allocation(site));
    this.free = this.#numbers(paths.freeSite, 'line', (site) => frames.own(site));
  }

  #numbers(column: Uint32Array, by: Flow['by'], ownOf: Numbers): Numbers {
    const own = new Map<number, number>();
    for (const site of column) if (site !== 0 && site !== NO_INDEX && !own.has(site)) own.set(site, ownOf(site));
    const first = new Map<string, number>();
    for (const site of own.values()) {
      const key = this.#spell(site, by);
      first.set(key, Math.min(site, first.get(key) ?? site));
    }
    const numbers = new Map(Array.from(own, ([site, one]) => [site, first.get(this.#spell(one, by)) ?? site]));
    return (site) => numbers.get(site) ?? site;
  }

  #spell(site: number, by: Flow['by']): string {
    const { sites } = this.profile;
    const line = `${sites.function[site]} ${sites.file[site]} ${sites.line[site]}`;
    return by === 'ip' ? `${line} ${sites.column[site]}` : line;
  }
}

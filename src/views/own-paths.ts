// Stage: profile -> views. The paths of a profile by what a person would look at: each place is the program's own
// frame, steps that are then in one place on one core are one, and so are paths that then read the same.
// docs/data-flow.md, "Own frames".

import { NO_INDEX } from '../base/ids.js';
import { FlowRows, type StepRow } from '../profile/flow-rows.js';
import type { Flow } from '../profile/flow.js';
import { OBJECT_KINDS, type Profile } from '../profile/profile.js';
import { combineRows, readRow, type Renumber } from '../profile/table-rows.js';
import { FLOW_TABLES } from '../profile/tables.js';
import { framesOf } from './frames.js';

const { paths: PATHS, steps: STEPS } = FLOW_TABLES;
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
  const rows = new FlowRows('run');
  let next = 0;
  for (let row = 0; row < flow.paths.type.length; row++) {
    const path = readRow(PATHS.columns, flow.paths, row);
    const steps = Array.from({ length: path.steps }, (_, at): StepRow => {
      const step = readRow(STEPS.columns, flow.steps, next + at);
      return { ...step, site: places.step(step.site), served: [...step.served] };
    });
    next += path.steps;
    rows.addPath({
      ...path,
      site: path.kind === heap ? places.allocation(path.site) : path.site,
      freeSite: places.free(path.freeSite),
      steps: flow.by === 'ip' ? steps : joinSteps(steps),
    });
  }
  const { paths, steps } = rows.freeze(flow, SAME);
  return { ...flow, paths, steps };
}

/** A step goes on where the next one is in its place and on its core. What was cut has no place. */
function joinSteps(steps: readonly StepRow[]): StepRow[] {
  const joined: StepRow[] = [];
  for (const step of steps) {
    const last = joined.at(-1);
    if (last === undefined || step.changesCore === 1 || step.site === NO_INDEX || step.site !== last.site)
      joined.push(step);
    else {
      const { time } = last;
      combineRows(STEPS.columns, last, step, 'run');
      Object.assign(last, { time });
    }
  }
  return joined;
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

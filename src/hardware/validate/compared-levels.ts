// Stage: validation. Who served references: simulated caches beside what the processor said.

import type { TypedSamples } from '../samples/typed-samples.js';
import { outcomeOf } from '../samples/outcome.js';
import type { ServedBy } from '../samples/served-by.js';
import type { Profile } from '../../profile/profile.js';
import { sumAll } from '../../views/counter-sums.js';
import type { Population } from './populations.js';

const COMPARED_LEVELS = ['L1', 'fill-buffer', 'L2', 'LLC', 'other cache', 'memory', 'past L1'] as const;
export type ComparedLevel = (typeof COMPARED_LEVELS)[number];

export interface LevelShare {
  readonly level: ComparedLevel;
  /** null: the simulator has no such thing, or does not count it of loads or stores alone. */
  readonly exactPercent: number | null;
  readonly sampledPercent: number;
  readonly samples: number;
}

const LEVEL_OF: Readonly<Partial<Record<ServedBy, ComparedLevel>>> = {
  L1: 'L1',
  'fill-buffer': 'fill-buffer',
  L2: 'L2',
  L3: 'LLC',
  'other-cache': 'other cache',
  'remote-cache': 'other cache',
  memory: 'memory',
  'remote-memory': 'memory',
  'past-L1': 'past L1',
  'past-L2': 'past L1',
  'past-L3': 'past L1',
};

/** Empty: no sample says who served it. Shares of those that do, weighted as everything is. */
export function compareLevels(
  profile: Profile,
  samples: TypedSamples,
  of: Population,
  counts: (row: number) => boolean,
): LevelShare[] {
  const { rows } = samples;
  const sums = new Map<ComparedLevel, { samples: number; weight: number }>();
  let all = 0;
  for (let row = 0; row < rows.type.length; row++) {
    const level = counts(row) ? LEVEL_OF[outcomeOf(rows.dataSource[row]).servedBy] : undefined;
    if (level === undefined || rows.samples[row] === 0) continue;
    const own = sums.get(level) ?? { samples: 0, weight: 0 };
    const weight = Number(rows.period[row]) || rows.samples[row];
    sums.set(level, { samples: own.samples + rows.samples[row], weight: own.weight + weight });
    all += weight;
  }
  if (all === 0) return [];
  const exact = exactLevels(profile, of);
  return COMPARED_LEVELS.filter((level) => sums.has(level) || exact[level] !== undefined).map((level) => {
    const own = sums.get(level) ?? { samples: 0, weight: 0 };
    return {
      level,
      exactPercent: exact[level] === undefined ? null : 100 * exact[level],
      sampledPercent: (100 * own.weight) / all,
      samples: own.samples,
    };
  });
}

/** For loads or stores alone: hits and misses of the private levels. */
function exactLevels({ tallies }: Profile, of: Population): Partial<Record<ComparedLevel, number>> {
  const sums = sumAll(tallies);
  if (of === 'references') {
    const { references } = sums;
    if (references === 0) return {};
    const share = (...servers: string[]): number =>
      servers.reduce((sum, server) => sum + sums.get(`served.${server}`), 0) / references;
    return {
      L1: share('l1'),
      L2: share('l2'),
      LLC: share('llc'),
      'other cache': share('cache', 'remote-cache'),
      memory: share('memory', 'remote-memory'),
    };
  }
  const [all, l1, l2] = [
    of,
    ...(['l1', 'l2'] as const).map((level) => `${level}.miss${of === 'loads' ? 'Loads' : 'Stores'}`),
  ].map((counter) => sums.get(counter));
  return all === 0 ? {} : { L1: (all - l1) / all, L2: (l1 - l2) / all };
}

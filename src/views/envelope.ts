// Stage: profile -> views. The part of a view's JSON that every view has: machine, schedule, totals, typing ledger, and
// what the numbers do not cover.

import { buildParallelism } from './parallelism.js';
import type { Profile } from '../profile/profile.js';
import { LEVELS } from '../contract/machine.js';
import { parseSchedule } from '../replay/schedule.js';
import { perLevel, sumAll } from './counter-sums.js';
import { chooseLevel, costOfLevels } from './level-cycles.js';
import { buildTypingLedger } from './typing-ledger.js';
import type { View, ViewOptions } from './view.js';
import { wholeTotals } from './whole-counts.js';

export function wrapRows<Row>(
  profile: Profile,
  view: string,
  rows: readonly Row[],
  { by = 'type', level, callPath }: ViewOptions = {},
): View<Row> {
  const { run, totals } = profile;
  const sums = sumAll(profile.tallies);
  const counter = (name: string): number => sums.get(name);
  return {
    schema: `dprof.${view}/1`,
    command: run.command,
    ended: run.ended,
    ...(run.processes && { processes: run.processes }),
    ...(profile.runs && {
      runs: profile.runs.map(({ run: { command, ended, truncated, threads }, instructions, window, phases }) => ({
        command,
        ended,
        truncated,
        threads,
        instructions,
        ...(window && { window }),
        phases,
      })),
    }),
    machine: profile.machine,
    schedule: profile.schedule,
    order: parseSchedule(profile.schedule) ?? { kind: 'logical' },
    ...(profile.cpus && { map: 'cpu' as const, cpus: profile.cpus }),
    truncated: run.truncated,
    ...(run.damaged && { damaged: run.damaged }),
    ...(run.leftOut && { leftOut: run.leftOut }),
    addressRandomisation: run.addressRandomisation,
    threads: run.threads,
    totals: {
      accesses: totals.accesses,
      references: totals.references,
      loads: totals.loads,
      stores: totals.stores,
      invalidations: totals.invalidations,
      upgrades: totals.upgrades,
      writeBacks: totals.writeBacks,
      ...wholeTotals(profile.machine, totals),
      instructions: totals.instructions,
      latencyCycles: sums.get('latencyCycles'),
      missLatencyCycles: sums.get('missLatencyCycles'),
      ...costOfLevels(counter, profile.machine),
      levels: perLevel((level) => ({
        hits: totals.hits[LEVELS.indexOf(level)],
        misses: totals.misses[LEVELS.indexOf(level)],
        classes: sums.classes(level),
      })),
      evictions: perLevel((level) => totals.evictions[LEVELS.indexOf(level)]),
    },
    typing: buildTypingLedger(profile),
    orderBound: {
      segments: totals.segments,
      segmentsThatWaited: totals.segmentsThatWaited,
      transfers: sums.get('transfers'),
      orderBoundTransfers: sums.get('orderBoundTransfers'),
    },
    parallelism: buildParallelism(profile.parallelism),
    outsideLife: totals.outsideLife,
    kernelStores: run.kernelStores === true,
    unseenBytes: totals.unseenBytes,
    lostSegments: totals.lostSegments,
    refusals: run.refusals,
    windows: {
      closed: totals.windowsClosed,
      closedSeconds: Math.round((1000 * totals.closedStamps) / (run.stampsPerSecond || 1)) / 1000,
      droppedWords: totals.droppedWords,
    },
    ...(profile.window && { window: profile.window }),
    phases: profile.phases,
    marks: profile.marks,
    ...(by !== 'type' && { by }),
    // Samples do not say who served every miss.
    level: level ?? (profile.sampled === undefined ? chooseLevel(counter, profile.machine) : 'l1'),
    ...(callPath && { withCallPath: true as const }),
    ...(profile.frames && { frames: profile.frames }),
    rows,
  };
}

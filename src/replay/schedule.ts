// Stage: replay. Schedules as people write them: logical, recorded, random:7.

import type { Schedule } from '../contract/machine.js';

const SEEDS = 2 ** 32;

export function spellSchedule(schedule: Schedule): string {
  return schedule.kind === 'random' ? `random:${schedule.seed}` : schedule.kind;
}

/** null: no schedule is spelled so. */
export function parseSchedule(text: string): Schedule | null {
  if (text === 'logical' || text === 'recorded') return { kind: text };
  const seed = /^random:(\d{1,10})$/.exec(text)?.[1];
  return seed === undefined || Number(seed) >= SEEDS ? null : { kind: 'random', seed: Number(seed) };
}

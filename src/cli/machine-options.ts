// Stage: command line. The flags of everything that replays: machine, order, engine. One table yields parser and help.

import type { Command } from 'commander';
import { DprofError } from '../base/dprof-error.js';
import type { MachineRequest } from '../machine/parse-machine.js';
import type { Schedule } from '../replay/machine.js';
import { parseSchedule } from '../replay/schedule.js';
import { ENGINES, type EngineName } from '../replay/replay.js';
import { MOST_SCHEDULES } from './schedules.js';

const flags: readonly (readonly [flag: string, description: string])[] = [
  ['--machine <name|file>', 'machine to simulate: default, paper, host, or a JSON file'],
  ['--cores <n>', 'cores; threads are placed in creation order, modulo cores (default: one per thread, at most 64)'],
  ['--l1 <size/ways>', 'first-level data cache of each core (default: 32K/8)'],
  ['--l2 <size/ways>', 'second-level cache of each core (default: 1M/16)'],
  ['--llc <size/ways>', 'last-level cache (default: 32M/16)'],
  ['--line <bytes>', 'line size (default: 64)'],
  ['--schedule <order>', 'logical: one instruction per cycle, recorded synchronisation kept (default); recorded: as it happened; random:SEED: drawn turns, recorded synchronisation kept'],
  ['--schedules <n>', 'replay under n schedules: that of --schedule and random:1, random:2 ..., for the smallest, median and largest of every sharing number'],
  ['--engine <engine>', 'native (default) or ts, the specification in TypeScript; their numbers are equal'],
  ['--workers <n>', 'threads that replay at a time, at most (default: one per processor); more than 3 bring nothing, and the numbers do not depend on it'],
  ['--kernel-stores', 'replay what the kernel wrote into the program\'s buffers (read, recv ...) as stores; else those bytes are only counted'],
  ['--map <policy>', 'not available: threads are placed in creation order'],
];

const flagNames = flags.map(([flag]) => flag.slice(2).split(' ')[0]);

export interface ReplayFlags extends MachineRequest {
  readonly schedule?: string;
  readonly schedules?: string;
  readonly engine?: string;
  readonly workers?: string;
  readonly map?: string;
  readonly kernelStores?: boolean;
}

export interface ReplayRequest {
  readonly machine: MachineRequest;
  readonly schedule: Schedule;
  /** How many to replay under; undefined: that one. */
  readonly schedules: number | undefined;
  readonly engine: EngineName;
  readonly workers: number | undefined;
  readonly kernelStores: boolean;
}

export function addReplayFlags(command: Command): Command {
  for (const [flag, description] of flags) command.option(flag, description);
  return command;
}

export function parseReplayFlags(options: ReplayFlags): ReplayRequest {
  const { machine, cores, line, l1, l2, llc } = options;
  if (options.map !== undefined) {
    throw new DprofError(`--map ${options.map} is not supported`, 'threads are placed in creation order, modulo --cores', 2);
  }
  const schedule = parseSchedule(options.schedule ?? 'logical');
  if (schedule === null) {
    throw new DprofError(`--schedule: '${options.schedule}' is not a schedule`, 'use logical, recorded or random:SEED, SEED a whole number below 4294967296', 2);
  }
  const { schedules } = options;
  if (schedules !== undefined && !(/^\d{1,4}$/.test(schedules) && Number(schedules) >= 2 && Number(schedules) <= MOST_SCHEDULES)) {
    throw new DprofError(`--schedules: '${schedules}' is not a whole number from 2 to ${MOST_SCHEDULES}`, 'for example --schedules 8', 2);
  }
  const engine = options.engine ?? 'native';
  if (!isEngine(engine)) throw new DprofError(`--engine: '${engine}' is not an engine`, 'use native or ts', 2);
  const { workers } = options;
  if (workers !== undefined && !/^[1-9]\d{0,3}$/.test(workers)) throw new DprofError(`--workers: '${workers}' is not a positive whole number`, 'for example --workers 2', 2);
  return { machine: { machine, cores, line, l1, l2, llc }, schedule, schedules: numberOf(schedules), engine, workers: numberOf(workers), kernelStores: options.kernelStores === true };
}

function numberOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}

function isEngine(name: string): name is EngineName {
  return (ENGINES as readonly string[]).includes(name);
}

/** Where nothing is replayed, flags that would change how are a mistake, not to be ignored. */
export function refuseReplayFlags(options: ReplayFlags, why: string, hint: string): void {
  const given = flagNames.filter((name) => (options as Record<string, unknown>)[name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())] !== undefined);
  if (given.length > 0) throw new DprofError(`--${given[0]} does nothing ${why}`, hint, 2);
}

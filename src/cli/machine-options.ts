// Stage: command line. The flags of everything that replays: machine, order, engine. One table yields parser and help.

import type { Command } from 'commander';
import { DprofError } from '../base/dprof-error.js';
import type { MachineRequest } from '../machine/parse-machine.js';
import type { Schedule } from '../replay/machine.js';
import { ENGINES, type EngineName } from '../replay/replay.js';

const flags: readonly (readonly [flag: string, description: string])[] = [
  ['--machine <name|file>', 'machine to simulate: default, paper, host, or a JSON file'],
  ['--cores <n>', 'cores; threads are placed in creation order, modulo cores (default: one per thread, at most 64)'],
  ['--l1 <size/ways>', 'first-level data cache of each core (default: 32K/8)'],
  ['--l2 <size/ways>', 'second-level cache of each core (default: 1M/16)'],
  ['--llc <size/ways>', 'last-level cache (default: 32M/16)'],
  ['--line <bytes>', 'line size (default: 64)'],
  ['--schedule <order>', 'logical: one instruction per cycle, recorded synchronisation kept (default); recorded: as it happened'],
  ['--engine <engine>', 'native (default) or ts, the specification in TypeScript; their numbers are equal'],
  ['--workers <n>', 'threads that replay at a time, at most (default: one per processor); more than 3 bring nothing, and the numbers do not depend on it'],
  ['--kernel-stores', 'replay what the kernel wrote into the program\'s buffers (read, recv ...) as stores; else those bytes are only counted'],
  ['--map <policy>', 'not available: threads are placed in creation order'],
];

const flagNames = flags.map(([flag]) => flag.slice(2).split(' ')[0]);

export interface ReplayFlags extends MachineRequest {
  readonly schedule?: string;
  readonly engine?: string;
  readonly workers?: string;
  readonly map?: string;
  readonly kernelStores?: boolean;
}

export interface ReplayRequest {
  readonly machine: MachineRequest;
  readonly schedule: Schedule;
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
  const schedule = options.schedule ?? 'logical';
  if (schedule !== 'logical' && schedule !== 'recorded') {
    throw new DprofError(`--schedule: '${schedule}' is not a schedule`, 'use logical or recorded', 2);
  }
  const engine = options.engine ?? 'native';
  if (!isEngine(engine)) throw new DprofError(`--engine: '${engine}' is not an engine`, 'use native or ts', 2);
  const { workers } = options;
  if (workers !== undefined && !/^[1-9]\d{0,3}$/.test(workers)) throw new DprofError(`--workers: '${workers}' is not a positive whole number`, 'for example --workers 2', 2);
  return { machine: { machine, cores, line, l1, l2, llc }, schedule: { kind: schedule }, engine, workers: workers === undefined ? undefined : Number(workers), kernelStores: options.kernelStores === true };
}

function isEngine(name: string): name is EngineName {
  return (ENGINES as readonly string[]).includes(name);
}

/** Where nothing is replayed, flags that would change how are a mistake, not to be ignored. */
export function refuseReplayFlags(options: ReplayFlags, why: string, hint: string): void {
  const given = flagNames.filter((name) => (options as Record<string, unknown>)[name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())] !== undefined);
  if (given.length > 0) throw new DprofError(`--${given[0]} does nothing ${why}`, hint, 2);
}

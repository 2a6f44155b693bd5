// Stage: command line -> replay. Machine descriptions as people write them ("32K/8", a preset, a file) become a checked
// Machine.

import { DprofError } from '../base/dprof-error.js';
import type { Machine } from '../contract/machine.js';
import { checkMachine } from './check-machine.js';
import { DEFAULT_MACHINE, MOST_CORES, type MachineDescription } from './machine-description.js';
import { readMachineFile } from './machine-file.js';
import { applyRequest, type MachineRequest } from './machine-request.js';
import { PRESETS } from './presets.js';
import { parseCount } from './sizes.js';

export type { MachineRequest } from './machine-request.js';
export { checkMachine } from './check-machine.js';

/** `threads`: of the trace, or the CPUs that they ran on; a machine that does not say has as many cores, at most 64. */
export function resolveMachine(request: MachineRequest, threads: number): Machine {
  const base = describeMachineOf(request.machine, threads);
  const cores = request.cores === undefined ? coresFor(base, threads) : parseCount('--cores', request.cores);
  return checkMachine(place(applyRequest(base, request, cores), cores));
}

/**
 * Finds all faults of a request that show before the number of threads is known. A number of sockets that does not
 * divide the threads shows only later.
 */
export function checkRequest(request: MachineRequest): void {
  if (request.sockets !== undefined) parseCount('--sockets', request.sockets);
  resolveMachine(request.cores === undefined ? { ...request, sockets: undefined } : request, MOST_CORES);
}

/**
 * A preset, or a file, whose mistakes are said to be the file's: it must make sense by itself, before flags change it.
 */
export function describeMachineOf(name: string | undefined, threads = MOST_CORES): MachineDescription {
  if (name === undefined) return DEFAULT_MACHINE;
  if (Object.hasOwn(PRESETS, name)) return PRESETS[name].describe();
  const machine = readMachineFile(name);
  try {
    checkMachine(place(machine, coresFor(machine, threads)));
  } catch (error) {
    throw error instanceof DprofError ? new DprofError(`${name}: ${error.message}`, error.hint, error.exitCode) : error;
  }
  return machine;
}

function coresFor({ cores }: MachineDescription, threads: number): number {
  return cores ?? Math.min(Math.max(threads, 1), MOST_CORES);
}

/** Sets the machine's cores. A machine with one socket has nothing remote, so its words about sockets are left out. */
function place(description: MachineDescription, cores: number): Machine {
  const machine = { ...description, cores, coresPerLlc: description.coresPerLlc ?? cores };
  if ((machine.coresPerSocket ?? cores) < cores) return machine;
  const { coresPerSocket, remoteCacheLatencyCycles, remoteMemoryLatencyCycles, ...onOneSocket } = machine;
  return onOneSocket;
}

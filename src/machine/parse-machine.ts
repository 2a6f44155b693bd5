// Stage: command line -> replay. Machine descriptions as people write them ("32K/8", a preset, a file) become a checked Machine.

import { LEVELS, type CacheLevel, type LevelName, type Machine } from '../replay/machine.js';
import { readMachineFile } from './machine-file.js';
import { DEFAULT_MACHINE, MOST_CORES, PAPER_MACHINE, type MachineDescription } from './presets.js';
import { readHostMachine } from './read-host-machine.js';
import { parseCount, parseGeometry, parseSize, spellSize, usageError } from './sizes.js';

export interface MachineRequest {
  /** A preset's name or a JSON file; undefined: the default machine. */
  readonly machine?: string;
  readonly cores?: string;
  readonly line?: string;
  readonly l1?: string;
  readonly l2?: string;
  readonly llc?: string;
}

/** `threads`: of the trace; a machine that does not say has as many cores, at most 64. */
export function resolveMachine(request: MachineRequest, threads: number): Machine {
  const base = describe(request.machine);
  const cores = request.cores === undefined ? (base.cores ?? Math.min(Math.max(threads, 1), MOST_CORES)) : parseCount('--cores', request.cores);
  const level = (name: LevelName): CacheLevel => {
    const geometry = request[name];
    return geometry === undefined ? base[name] : { ...base[name], ...parseGeometry(`--${name}`, geometry) };
  };
  return checkMachine({
    name: base.name,
    cores,
    lineBytes: request.line === undefined ? base.lineBytes : parseSize('--line', request.line),
    l1: level('l1'),
    l2: level('l2'),
    llc: level('llc'),
    coresPerLlc: base.coresPerLlc ?? cores,
    memoryLatencyCycles: base.memoryLatencyCycles,
    cacheToCacheLatencyCycles: base.cacheToCacheLatencyCycles,
  });
}

function describe(name: string | undefined): MachineDescription {
  if (name === undefined || name === 'default') return DEFAULT_MACHINE;
  if (name === 'paper') return PAPER_MACHINE;
  if (name === 'host') return readHostMachine();
  return readMachineFile(name);
}

function isPowerOfTwo(number: number): boolean {
  return Number.isInteger(Math.log2(number));
}

/** What the simulation relies on; presets pass too. */
export function checkMachine(machine: Machine): Machine {
  const { cores, lineBytes } = machine;
  if (cores > MOST_CORES) throw usageError(`cores: ${cores} is more than ${MOST_CORES}`, `give --cores ${MOST_CORES} or fewer; threads are placed modulo cores`);
  if (!isPowerOfTwo(lineBytes) || lineBytes < 8 || lineBytes > 4096) {
    throw usageError(`line: ${lineBytes} bytes is not a power of two from 8 to 4096`, 'use --line 64');
  }
  for (const name of LEVELS) {
    const { sizeBytes, ways } = machine[name];
    const sets = sizeBytes / (ways * lineBytes);
    const sum = `${sizeBytes} bytes / (${ways} ways × ${lineBytes} bytes per line) = ${Number(sets.toFixed(3))} sets`;
    if (!Number.isInteger(sets)) throw usageError(`${name}: ${sum}, not a whole number`, `choose a size that is a multiple of ${ways * lineBytes} bytes`);
    if (!isPowerOfTwo(sets)) {
      const below = 2 ** Math.floor(Math.log2(sets)) * ways * lineBytes;
      throw usageError(`${name}: ${sum}, not a power of two`, `the nearest with ${ways} ways: --${name} ${spellSize(below)}/${ways} or ${spellSize(below * 2)}/${ways}`);
    }
  }
  return machine;
}

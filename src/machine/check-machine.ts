// Stage: command line -> replay. The rules that the simulation relies on, field by field; presets are checked too.

import { completeLevel, completeMachine } from '../contract/complete-machine.js';
import { isPowerOfTwo, LEVELS, setsOf, type LevelName, type Machine, type TlbLevel } from '../contract/machine.js';
import { MOST_CORES } from './machine-description.js';
import { spellSize, usageError } from './sizes.js';

const MOST_LINES = 2 ** 28;

export function checkMachine(machine: Machine): Machine {
  checkCores(machine);
  checkGeometry(machine);
  for (const name of LEVELS) checkLevel(machine, name);
  checkInclusion(machine);
  checkGroups(machine);
  checkTlb(machine);
  const { pageBytes, seed } = completeMachine(machine);
  if (pageBytes !== 4096 && pageBytes !== 2 << 20)
    throw usageError(`pageBytes: ${pageBytes} is neither 4096 nor 2097152`, 'use --pages 4K or --pages 2M');
  if (!Number.isInteger(seed) || seed < 0 || seed >= 2 ** 32)
    throw usageError(`seed: ${seed} is not a whole number from 0 to ${2 ** 32 - 1}`, 'for example --seed 1');
  return machine;
}

function checkCores({ cores }: Machine): void {
  if (cores > MOST_CORES)
    throw usageError(
      `cores: ${cores} is more than ${MOST_CORES}`,
      `give --cores ${MOST_CORES} or fewer; threads are placed modulo cores`,
    );
}

/** Checks that the caches consist of whole sets of whole lines. */
export function checkGeometry(machine: Machine): void {
  const { lineBytes } = machine;
  if (!isPowerOfTwo(lineBytes) || lineBytes < 8 || lineBytes > 4096) {
    throw usageError(`lineBytes: ${lineBytes} bytes is not a power of two from 8 to 4096`, 'use --line 64');
  }
  for (const name of LEVELS) {
    const { sizeBytes, ways } = machine[name];
    const sets = setsOf(machine[name], lineBytes);
    if (!Number.isInteger(sets) || sets < 1) {
      const sum = `${sizeBytes} bytes / (${ways} ways × ${lineBytes} bytes per line) = ${Number(sets.toFixed(3))} sets`;
      throw usageError(
        `${name}: ${sum}, not a whole number`,
        `choose a size that is a multiple of ${ways * lineBytes} bytes`,
      );
    }
    if (sets * ways > MOST_LINES)
      throw usageError(
        `${name}: ${spellSize(sizeBytes)} are ${sets * ways} lines of ${lineBytes} bytes, more than ${MOST_LINES}`,
        'choose a smaller size or longer lines',
      );
  }
}

function checkLevel(machine: Machine, name: LevelName): void {
  const { ways, policy, prefetchers } = completeLevel(machine[name]);
  if (policy === 'tree-plru' && !isPowerOfTwo(ways))
    throw usageError(
      `${name}.policy: tree-plru needs a power of two of ways, not ${ways}`,
      'bit-plru and the other policies take any number of ways',
    );
  if (new Set(prefetchers).size < prefetchers.length)
    throw usageError(`${name}.prefetchers: ${prefetchers.join(', ')} says one twice`, 'name each once');
  if (name === 'llc' && prefetchers.length > 0)
    throw usageError(
      'llc.prefetchers: prefetchers are simulated at the L1 and the L2',
      'give them to l2: --prefetch l2=next-line',
    );
}

const above: Readonly<Record<LevelName, readonly LevelName[]>> = { l1: [], l2: ['l1'], llc: ['l2', 'l1'] };

function checkInclusion(machine: Machine): void {
  for (const name of LEVELS) {
    const { inclusion, sizeBytes } = completeLevel(machine[name]);
    if (name === 'l1' && inclusion !== 'non-inclusive')
      throw usageError(
        `l1.inclusion: ${inclusion} of what? No level is above the L1`,
        'give it to l2 or llc: --inclusion l2=inclusive',
      );
    if (inclusion !== 'inclusive') continue;
    const larger = above[name].find((upper) => machine[upper].sizeBytes > sizeBytes);
    if (larger !== undefined) {
      throw usageError(
        `${name}.inclusion: ${spellSize(sizeBytes)} can not hold all of an ${larger} of ` +
          `${spellSize(machine[larger].sizeBytes)}`,
        `make ${name} larger, or --inclusion ${name}=non-inclusive`,
      );
    }
  }
}

/** Each group lies within one of the next larger groups; of a kind of which there is only one, anything may be said. */
function checkGroups(machine: Machine): void {
  const { cores, coresPerL1, coresPerL2, coresPerLlc, coresPerSocket } = completeMachine(machine);
  const groups = [
    ['coresPerL1', coresPerL1],
    ['coresPerL2', coresPerL2],
    ['coresPerLlc', coresPerLlc],
    ['coresPerSocket', coresPerSocket],
  ] as const;
  for (const [name, size] of groups) {
    if (!Number.isInteger(size) || size < 1)
      throw usageError(`${name}: ${size} is not a positive whole number`, `for example ${name} 1`);
  }
  groups.slice(1).forEach(([name, size], index) => {
    const [inner, innerSize] = groups[index];
    const isOnlyOne = size >= cores;
    if (isOnlyOne || size % innerSize === 0) return;
    throw usageError(
      `${name}: ${size} cores are not a multiple of ${inner}, ${innerSize}`,
      `choose a multiple of ${innerSize}; cores ${cores} or more for a single one`,
    );
  });
}

function checkTlb({ tlb }: Machine): void {
  if (tlb === undefined) return;
  checkTlbLevel('tlb.l1', tlb.l1);
  if (tlb.l2 !== undefined) checkTlbLevel('tlb.l2', tlb.l2);
}

function checkTlbLevel(name: string, { entries, ways }: TlbLevel): void {
  if (entries % ways !== 0)
    throw usageError(
      `${name}: ${entries} entries are not a multiple of ${ways} ways`,
      `for a fully associative one write ${entries}/${entries}`,
    );
  if (entries > 1 << 20) throw usageError(`${name}: ${entries} entries are more than ${1 << 20}`, 'for example 64/4');
}

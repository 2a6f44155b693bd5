// Stage: command line -> replay. The caches of the machine this runs on, as the kernel describes them in sysfs.

import { readFileSync, readdirSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { DprofError } from '../base/dprof-error.js';
import type { CacheLevel } from '../replay/machine.js';
import { DEFAULT_MACHINE, type MachineDescription } from './presets.js';
import { parseSize } from './sizes.js';

interface HostCache {
  readonly level: number;
  readonly sizeBytes: number;
  readonly ways: number;
  readonly lineBytes: number;
  readonly sharedBy: number;
}

/**
 * Latencies are not in sysfs: those of the default machine. An LLC that all CPUs share is one LLC, however many cores are simulated.
 */
export function readHostMachine(directory = '/sys/devices/system/cpu/cpu0/cache', hostCpus = cpus().length): MachineDescription {
  const caches = readCaches(directory);
  const find = (level: number): HostCache => {
    const cache = caches.find((one) => one.level === level);
    if (cache !== undefined) return cache;
    throw new DprofError(`the kernel does not describe a level ${level} data cache in ${directory}`, 'describe the machine in a file, or with --l1, --l2 and --llc');
  };
  const l1 = find(1);
  const llc = find(Math.max(3, ...caches.map((cache) => cache.level)));
  const geometry = (cache: HostCache, model: CacheLevel): CacheLevel => ({ ...model, sizeBytes: cache.sizeBytes, ways: cache.ways });
  return {
    ...DEFAULT_MACHINE,
    name: 'host',
    lineBytes: l1.lineBytes,
    l1: geometry(l1, DEFAULT_MACHINE.l1),
    l2: geometry(find(2), DEFAULT_MACHINE.l2),
    llc: geometry(llc, DEFAULT_MACHINE.llc),
    ...(llc.sharedBy < hostCpus ? { coresPerLlc: llc.sharedBy } : {}),
  };
}

function readCaches(directory: string): HostCache[] {
  try {
    return readdirSync(directory)
      .filter((name) => /^index\d+$/.test(name))
      .map((name) => {
        const read = (file: string): string => readFileSync(join(directory, name, file), 'utf8').trim();
        return { type: read('type'), level: Number(read('level')), read };
      })
      .filter(({ type }) => type !== 'Instruction')
      .map(({ level, read }) => ({
        level,
        sizeBytes: parseSize('size', read('size')),
        ways: Number(read('ways_of_associativity')),
        lineBytes: Number(read('coherency_line_size')),
        sharedBy: countCpus(read('shared_cpu_list')),
      }));
  } catch (error) {
    if (error instanceof DprofError) throw error;
    throw new DprofError(`the kernel does not describe this machine's caches (${(error as NodeJS.ErrnoException).code})`, 'describe the machine in a file, or with --l1, --l2 and --llc');
  }
}

/** "0-3,8" is 5 CPUs. */
function countCpus(list: string): number {
  return list.split(',').reduce((sum, part) => {
    const [first, last = first] = part.split('-').map(Number);
    return sum + last - first + 1;
  }, 0);
}

// Stage: blocks. The processors that this process may use, by number.

import { readFileSync } from 'node:fs';

export function usableProcessors(): number[] {
  try {
    return parseProcessors(/^Cpus_allowed_list:\s*(.*)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '0');
  } catch {
    return [0];
  }
}

/** One of each core: two hardware threads of one would disturb each other. */
export function usableCores(): number[] {
  return firstOfEachCore(usableProcessors(), (processor) => {
    try {
      return readFileSync(`/sys/devices/system/cpu/cpu${processor}/topology/thread_siblings_list`, 'utf8').trim();
    } catch {
      return String(processor);
    }
  });
}

/** `siblingsOf`: a list that all processors of a core have in common. */
export function firstOfEachCore(processors: readonly number[], siblingsOf: (processor: number) => string): number[] {
  const seen = new Set<string>();
  return processors.filter((processor) => {
    const siblings = siblingsOf(processor);
    return !seen.has(siblings) && seen.add(siblings);
  });
}

/** `list`: "0-3,8". */
export function parseProcessors(list: string): number[] {
  return list.split(',').flatMap((range) => {
    const [first, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}

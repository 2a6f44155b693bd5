// Stage: blocks. The processors that this process may use, by number.

import { readFileSync } from 'node:fs';

export function usableProcessors(): number[] {
  try {
    return parseProcessors(/^Cpus_allowed_list:\s*(.*)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '0');
  } catch {
    return [0];
  }
}

/** `list`: "0-3,8". */
export function parseProcessors(list: string): number[] {
  return list.split(',').flatMap((range) => {
    const [first, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}

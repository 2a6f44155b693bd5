// Stage: replay. The program's line numbers to physical ones, which choose the sets: by page, as the machine colours
// pages.

import type { Machine } from '../replay/machine.js';
import { mix } from './mix.js';

export const DEFAULT_PAGE_BYTES = 4096;
const PHYSICAL_PAGES = 1 << 20;

/** To be asked for lines in the order of their first reference. */
export function physicalNumbers({
  lineBytes,
  pageBytes = DEFAULT_PAGE_BYTES,
  colouring = 'virtual',
  seed = 1,
}: Machine): (lineNumber: number) => number {
  if (colouring === 'virtual') return (lineNumber) => lineNumber;
  const linesOfPage = pageBytes / lineBytes;
  const pages = new Map<number, number>();
  const numberOf = (n: number): number => (colouring === 'random' ? mix(seed, n) % PHYSICAL_PAGES : n);
  return (lineNumber) => {
    const page = Math.floor(lineNumber / linesOfPage);
    let number = pages.get(page);
    if (number === undefined) pages.set(page, (number = numberOf(pages.size)));
    return number * linesOfPage + (lineNumber % linesOfPage);
  };
}

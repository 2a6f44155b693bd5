// Stage: replay. The program's line numbers to physical ones, which choose the sets: physical line number = physical
// page number x lines of a page + line in the page.

import type { Machine } from '../contract/machine.js';
import { mix } from './mix.js';

const PHYSICAL_PAGES = 1 << 20;

/**
 * Pages are numbered n = 0, 1, ... as they are asked for first, which is when they are referenced first. The physical
 * page number is, by colouring, the page's own (`virtual`), n (`first-touch`) or a number drawn for n (`random`).
 */
export function physicalLines({
  lineBytes,
  pageBytes,
  colouring,
  seed,
}: Required<Pick<Machine, 'lineBytes' | 'pageBytes' | 'colouring' | 'seed'>>): (line: number) => number {
  if (colouring === 'virtual') return (line) => line;
  const linesOfPage = pageBytes / lineBytes;
  const pages = new Map<number, number>();
  const numberOf = (n: number): number => (colouring === 'random' ? mix(seed, n) % PHYSICAL_PAGES : n);
  return (line) => {
    const page = Math.floor(line / linesOfPage);
    let number = pages.get(page);
    if (number === undefined) pages.set(page, (number = numberOf(pages.size)));
    return number * linesOfPage + (line % linesOfPage);
  };
}

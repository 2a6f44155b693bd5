// The seeded faults can be planted: whoever rewrites the code that one of them stands in moves the fault with it.

import { expect, it } from 'vitest';
import { kindOf, placeFaults, readMutants } from './faults.mjs';

it('each fault has its place, and there are enough of every part', () => {
  const places = placeFaults(readMutants());
  const count = (folder: string): number => places.filter(({ place }) => place.startsWith(folder)).length;
  expect(new Set(places.map(({ name }) => name)).size).toBe(places.length);
  expect(places.length).toBeGreaterThanOrEqual(60);
  expect(count('engine/')).toBeGreaterThanOrEqual(12);
  expect(count('llvm-pass/')).toBeGreaterThanOrEqual(4);
  expect(count('runtime/')).toBeGreaterThanOrEqual(4);
  expect(count('src/views/')).toBeGreaterThanOrEqual(8);
  expect(places.filter(({ place }) => kindOf(place) === 'ts').length).toBe(
    places.length - count('engine/') - count('llvm-pass/') - count('runtime/'),
  );
});

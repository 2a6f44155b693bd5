// The engine's rooms are the pipeline: a file includes only what is upstream of its room. engine/README.md draws the
// same order.

import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const ENGINE = resolve(import.meta.dirname, '../../engine');

/** Upstream first. */
const ROOMS = [
  'generated',
  'base',
  'machine',
  'trace',
  'batch',
  'layout',
  'objects',
  'order',
  'placing',
  'shards',
  'caches',
  'flow',
  'counting',
  'replay',
  'stream',
  'addon',
];

const files = readdirSync(ENGINE, { recursive: true, encoding: 'utf8' }).filter((file) => /\.(h|cpp)$/.test(file));
const roomOf = (file: string): string => file.split('/')[0];

/** Includes between quotes; headers of the runtime and of libraries belong to no room. */
function includesOf(file: string): string[] {
  const text = readFileSync(join(ENGINE, file), 'utf8');
  return [...text.matchAll(/^#include "([^"]+)"$/gm)]
    .map(([, included]) => included)
    .filter((included) => !included.startsWith('dprof/') && !included.startsWith('../runtime/'));
}

test('every file is in a room', () => {
  expect([...new Set(files.map(roomOf))].sort()).toEqual([...ROOMS].sort());
});

test('an include names the room and a file that is there', () => {
  const lost = files.flatMap((file) =>
    includesOf(file)
      .filter((included) => !files.includes(included))
      .map((included) => `${file} includes ${included}`),
  );
  expect(lost).toEqual([]);
});

test('includes go upstream only', () => {
  const downstream = files.flatMap((file) =>
    includesOf(file)
      .filter((included) => ROOMS.indexOf(roomOf(included)) > ROOMS.indexOf(roomOf(file)))
      .map((included) => `${file} includes ${included}`),
  );
  expect(downstream).toEqual([]);
});

test('includes are really read: the addon reaches every room', () => {
  const reached = new Set<string>();
  const visit = (file: string): void => {
    if (reached.has(file)) return;
    reached.add(file);
    includesOf(file).forEach(visit);
  };
  files.filter((file) => file.startsWith('addon/')).forEach(visit);
  // Of `order` and `layout` the addon knows nothing: replay.cpp includes them.
  visit('replay/replay.cpp');
  expect([...new Set([...reached].map(roomOf))].sort()).toEqual([...ROOMS].sort());
});

// Stage: test. The seeded faults of mutants.json, and where in the tree each of them stands.

import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '../..');

export function readMutants() {
  return JSON.parse(readFileSync(join(import.meta.dirname, 'mutants.json'), 'utf8'));
}

/** Files of the tree, those included that are not committed yet. */
export function listFiles() {
  const { stdout } = spawnSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    cwd: ROOT,
  });
  const isThere = (name) => lstatSync(join(ROOT, name), { throwIfNoEntry: false })?.isDirectory() === false;
  return stdout.split('\0').filter(isThere);
}

export function kindOf(place) {
  return place.endsWith('.ts') ? 'ts' : 'native';
}

/**
 * Each fault with the file where it is planted. Throws unless exactly one file has its text, once, and its tests exist.
 */
export function placeFaults(mutants) {
  const files = listFiles().filter((name) => !name.startsWith('test/'));
  return mutants.map((mutant) => {
    const { name, file, text, replacement, tests } = mutant;
    const has = (place) => readFileSync(join(ROOT, place), 'utf8').split(text).length === 2;
    const places = files.filter((place) => basename(place) === file && has(place));
    if (places.length !== 1) throw new Error(`${name}: ${places.length} files ${file} have this text once: ${text}`);
    if (replacement === text) throw new Error(`${name} changes nothing`);
    const missing = tests.find((test) => !existsSync(join(ROOT, test)));
    if (missing !== undefined) throw new Error(`${name}: there is no ${missing}`);
    return { ...mutant, place: places[0] };
  });
}

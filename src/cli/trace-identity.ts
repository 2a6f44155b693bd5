// Stage: command line. What kept profiles and shards are of: the bytes of traces and the dprof that made them, as short
// texts that are equal only if both are the same.

import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readAt } from '../base/read-at.js';
import { PROFILE_VERSION } from '../profile/profile-format.js';
import { INSTALLATION, NATIVE } from './installation.js';

/** Of both ends of a trace: its header and process are in one, its end and the last events in the other. */
const HASHED_BYTES = 64 << 10;

/**
 * undefined: not a file that stays where it is. Whoever writes to a file changes its times; a file that was put in its
 * place has another number, or other times.
 */
export function identifyTrace(path: string): string | undefined {
  if (/^\/(proc|dev)\//.test(path)) return undefined;
  try {
    const file = openSync(path, 'r');
    try {
      const { size, mtimeNs, ctimeNs, ino, dev, nlink } = fstatSync(file, { bigint: true });
      if (nlink === 0n) return undefined;
      return hashOf(file, Number(size), `${size} ${mtimeNs} ${ctimeNs} ${ino} ${dev}`);
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined;
  }
}

/** What is in it, wherever it lies: its size, and a hash of both ends. */
export function contentOf(path: string): string {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    return `${size} ${hashOf(file, size)}`;
  } finally {
    closeSync(file);
  }
}

/** Of both ends, and of what else is known. */
function hashOf(file: number, bytes: number, also = ''): string {
  const part = new Uint8Array(Math.min(bytes, HASHED_BYTES));
  const hash = createHash('sha256').update(also);
  for (const offset of [0, bytes - part.length]) hash.update(part.subarray(0, readAt(file, part, offset)));
  return hash.digest('hex');
}

export function versionOfDprof(): string {
  return (JSON.parse(readFileSync(join(INSTALLATION, 'package.json'), 'utf8')) as { version: string }).version;
}

let installed: string | undefined;

/** The version, and the files of this build: a checkout keeps its version while it changes. */
export function identifyDprof(): string {
  if (installed !== undefined) return installed;
  const commands = join(INSTALLATION, 'dist/command');
  const scripts = readdirSync(commands).filter((name) => /[.]c?js$/.test(name));
  const files = [NATIVE.engine, ...scripts.sort().map((name) => join(commands, name))];
  const build = files.map((path) => {
    const status = statSync(path, { throwIfNoEntry: false });
    return status === undefined ? 'none' : `${status.size} ${status.mtimeMs}`;
  });
  return (installed = JSON.stringify([versionOfDprof(), PROFILE_VERSION, build]));
}

// Stage: command line. What a kept profile is of: the bytes of its traces and the dprof that made it, as short texts
// that are equal only if both are the same.

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
      const bytes = Number(size);
      const part = new Uint8Array(Math.min(bytes, HASHED_BYTES));
      const hash = createHash('sha256').update(`${size} ${mtimeNs} ${ctimeNs} ${ino} ${dev}`);
      for (const offset of [0, bytes - part.length]) hash.update(part.subarray(0, readAt(file, part, offset)));
      return hash.digest('hex');
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined;
  }
}

let installed: string | undefined;

/** The version, and the files of this build: a checkout keeps its version while it changes. */
export function identifyDprof(): string {
  if (installed !== undefined) return installed;
  const { version } = JSON.parse(readFileSync(join(INSTALLATION, 'package.json'), 'utf8')) as { version: string };
  const commands = join(INSTALLATION, 'dist/command');
  const scripts = readdirSync(commands).filter((name) => name.endsWith('.js'));
  const files = [NATIVE.engine, ...scripts.sort().map((name) => join(commands, name))];
  const build = files.map((path) => {
    const status = statSync(path, { throwIfNoEntry: false });
    return status === undefined ? 'none' : `${status.size} ${status.mtimeMs}`;
  });
  return (installed = JSON.stringify([version, PROFILE_VERSION, build]));
}

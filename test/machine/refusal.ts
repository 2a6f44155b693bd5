// Stage: test. What a machine is refused with: message and hint; wrong usage, always.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { DprofError } from '../../src/base/dprof-error.js';
import { makeTemporaryFolder } from '../temporary-folder.js';
import { resolveMachine, type MachineRequest } from '../../src/machine/parse-machine.js';

export function refusalOf(action: () => unknown): [message: string, hint: string] {
  try {
    action();
  } catch (error) {
    expect(error).toBeInstanceOf(DprofError);
    const { message, hint, exitCode } = error as DprofError;
    expect(exitCode).toBe(2);
    expect(`${message}${hint}`).not.toContain('\n');
    return [message, hint];
  }
  throw new Error('it was accepted');
}

export function refusal(request: MachineRequest, threads = 1): [message: string, hint: string] {
  return refusalOf(() => resolveMachine(request, threads));
}

export const FOLDER = makeTemporaryFolder('machine');

export function machineFile(json: string): string {
  const path = join(FOLDER, 'machine.json');
  writeFileSync(path, json);
  return path;
}

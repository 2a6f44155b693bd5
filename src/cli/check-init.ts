// Stage: command line. `dprof check --init -- PROGRAM`: runs the program once, and writes a first dprof.yml of it.

import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { DprofError } from '../base/dprof-error.js';
import type { CheckedProgram } from '../check/check-file.js';
import { firstCheckFile, nameProgram } from '../check/first-file.js';
import { writeOutputFile } from '../check/write-file.js';
import { closeObjects } from '../profile/object-source.js';
import { replayAll, requestOf } from './check-program.js';
import { runChecked } from './checked-run.js';
import { StandardOutput } from './standard-output.js';

/** `command`: as a user types it, in the folder of the file. */
export async function initCheck(file: string, command: readonly string[]): Promise<void> {
  if (command.length === 0)
    throw new DprofError('--init: no program is named', "put it behind '--': dprof check --init -- ./program", 2);
  if (existsSync(file))
    throw new DprofError(`${file} is there, and stays as it is`, 'name another by -f, or write into this one', 2);
  const name = nameProgram(command[0]);
  const program: CheckedProgram = {
    name,
    place: { file, line: 1, column: 1 },
    run: command,
    directory: '.',
    environment: {},
    inputs: [],
    status: 0,
    limits: [],
    baseline: [],
  };
  const root = dirname(file);
  const { traces } = await runChecked(program, root, true);
  const profiles = await replayAll(program, traces, requestOf(program, root));
  try {
    writeOutputFile(file, firstCheckFile(profiles, name, command));
  } finally {
    profiles.forEach(closeObjects);
  }
  const output = new StandardOutput();
  const again = file === 'dprof.yml' ? '' : ` -f ${file}`;
  output.write(`${file}: what holds of this run\nnext: dprof check${again} --update\n`);
  output.flush();
}

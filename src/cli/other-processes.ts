// Stage: command line. The traces that other processes of a program recorded while it was replayed. They are in a
// folder that the recorder makes if there are any.

import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

export class OtherProcesses {
  readonly folder = join(tmpdir(), `dprof-${process.pid}-${randomBytes(6).toString('hex')}`);
  readonly #remove = (): void => rmSync(this.folder, { recursive: true, force: true });

  constructor() {
    process.on('exit', this.#remove);
  }

  /** Once the recorder has ended. */
  traces(): readonly string[] {
    const list = join(this.folder, 'list');
    if (!existsSync(list)) return [];
    return readFileSync(list, 'utf8')
      .split('\0')
      .filter((path) => path !== '')
      .map((path) => resolve(path));
  }

  remove(): void {
    process.off('exit', this.#remove);
    this.#remove();
  }
}

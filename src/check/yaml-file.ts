// Stage: check. A YAML file that people write -> plain data, and the place of each part of it, for errors.

import { readFileSync } from 'node:fs';
import { LineCounter, parseDocument, type Document, type Node } from 'yaml';
import { DprofError } from '../base/dprof-error.js';

const MOST_FILE_BYTES = 1 << 20;
/** Of aliases, all nested ones counted: a file of a kilobyte could else stand for gigabytes. */
const MOST_ALIASES = 100;

export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** Keys and numbers of the way to a part. */
export type Way = readonly (string | number)[];

export class YamlFile {
  readonly data: unknown;
  readonly #document: Document;
  readonly #lines = new LineCounter();

  /** Throws DprofError with the place of what is no YAML. `manual`: where the file is described. */
  constructor(
    readonly path: string,
    private readonly manual: string,
  ) {
    this.#document = parseDocument(this.#read(), {
      lineCounter: this.#lines,
      prettyErrors: false,
      version: '1.2',
      schema: 'core',
    });
    const [error] = this.#document.errors;
    if (error) this.#refuse(this.#at(error.pos[0]), error.message.replaceAll(/\s+/g, ' '));
    try {
      this.data = this.#document.toJS({ maxAliasCount: MOST_ALIASES });
    } catch (error) {
      this.#refuse(this.#at(0), (error as Error).message);
    }
  }

  #read(): string {
    let bytes: Buffer;
    try {
      bytes = readFileSync(this.path);
    } catch (error) {
      const { code = 'unreadable' } = error as NodeJS.ErrnoException;
      throw new DprofError(`${this.path}: ${code}`, `dprof check --init writes one; ${this.manual}`, 2);
    }
    if (bytes.length > MOST_FILE_BYTES)
      throw new DprofError(`${this.path}: ${bytes.length} bytes are too many (at most 1 MiB)`, this.manual, 2);
    return bytes.toString('utf8');
  }

  /** Of the part itself; of the nearest one around it, if it is not in the file. */
  placeOf(way: Way): Place {
    for (let length = way.length; length >= 0; length--) {
      const node = this.#document.getIn(way.slice(0, length), true) as Node | undefined;
      if (node?.range) return this.#at(node.range[0]);
    }
    return this.#at(0);
  }

  /** Throws: what is wrong with the part. */
  refuse(way: Way, what: string, hint = this.manual): never {
    this.#refuse(this.placeOf(way), what, hint);
  }

  #refuse({ file, line, column }: Place, what: string, hint = this.manual): never {
    throw new DprofError(`${file}:${line}:${column}: ${what}`, hint, 2);
  }

  #at(offset: number): Place {
    const { line, col } = this.#lines.linePos(offset);
    return { file: this.path, line: Math.max(1, line), column: Math.max(1, col) };
  }
}

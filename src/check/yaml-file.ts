// Stage: check. A YAML file that people write -> plain data, and the place of each part of it, for errors.

import { isMap, isScalar, LineCounter, parseDocument, visit, type Document, type Node } from 'yaml';
import { DprofError } from '../base/dprof-error.js';
import { readSmallFile } from './read-file.js';

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
      this.#refuse(this.#placeOfBadAlias(), (error as Error).message);
    }
  }

  #read(): string {
    let text: string | undefined;
    try {
      text = readSmallFile(this.path, MOST_FILE_BYTES);
    } catch (error) {
      const { code = 'unreadable' } = error as NodeJS.ErrnoException;
      throw new DprofError(`${this.path}: ${code}`, `dprof check --init writes one; ${this.manual}`, 2);
    }
    if (text === undefined) throw new DprofError(`${this.path}: it has more than 1 MiB`, this.manual, 2);
    return text;
  }

  /** Of the part itself; of the nearest one around it, if it is not in the file. */
  placeOf(way: Way): Place {
    for (let length = way.length; length >= 0; length--) {
      const node = this.#document.getIn(way.slice(0, length), true) as Node | undefined;
      if (node?.range) return this.#at(node.range[0]);
    }
    return this.#at(0);
  }

  /** Of the word that names the part, in front of it. */
  keyOf(way: Way): Place {
    const around = way.length === 0 ? undefined : this.#document.getIn(way.slice(0, -1), true);
    const pair = isMap(around)
      ? around.items.find(({ key }) => isScalar(key) && `${key.value}` === `${way.at(-1)}`)
      : null;
    const range = isScalar(pair?.key) ? pair.key.range : undefined;
    return range ? this.#at(range[0]) : this.placeOf(way);
  }

  /** The first that has no anchor, or the beginning. */
  #placeOfBadAlias(): Place {
    let offset = 0;
    visit(this.#document, {
      Alias: (_, alias) => {
        if (alias.resolve(this.#document) !== undefined) return undefined;
        offset = alias.range?.[0] ?? 0;
        return visit.BREAK;
      },
    });
    return this.#at(offset);
  }

  /** Throws: the word that names the part is wrong. */
  refuseKey(way: Way, what: string, hint = this.manual): never {
    this.#refuse(this.keyOf(way), what, hint);
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

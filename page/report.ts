// Stage: HTML page. The views that the file holds: packed JSON in blocks, unpacked when they are asked for.

import type { PageContents } from '../src/html/html-report.js';
import type { EmbeddedView } from '../src/html/embedded-view.js';
import type { Rows } from '../src/report/json.js';

export class Report {
  readonly #unpacked = new Map<string, Promise<unknown>>();

  private constructor(private readonly views: readonly EmbeddedView[]) {}

  static async open(): Promise<Report> {
    const { views } = JSON.parse(await unpack(readBlock('contents')[0])) as PageContents;
    return new Report(views);
  }

  has(key: string): boolean {
    return this.views.some((view) => view.key === key);
  }

  /** How many rows the view has, and how many of them are in the file. */
  countRows(key: string): { all: number; embedded: number } {
    const { rows, pieces } = this.#describe(key);
    return { all: rows, embedded: pieces.reduce((sum, piece) => sum + piece.rows, 0) };
  }

  /** Types that rows name, by L1 misses, as the data profile has them. */
  typesOf(key: string): string[] {
    const named = new Set(this.#groupsOf(key));
    return [...new Set([...this.#groupsOf('data-profile').filter((type) => named.has(type)), ...named])];
  }

  /** Without its rows. */
  envelope<Whole extends Rows>(key: string): Promise<Whole> {
    return this.#remember(key, async () => JSON.parse(`${await unpack(this.#parts(key)[0])}]}`) as Whole);
  }

  /** The view, whole as far as it is in the file. */
  view<Whole extends Rows>(key: string): Promise<Whole> {
    return this.#remember(`${key} rows`, async () => {
      const pieces = this.#describe(key).pieces.map((_, index) => this.#piece<unknown>(key, index));
      return { ...(await this.envelope<Whole>(key)), rows: (await Promise.all(pieces)).flat() };
    });
  }

  /** The rows of one group: of a type, or of a source file. Only pieces that have such rows are unpacked. */
  async rowsOf<Row>(key: string, group: string): Promise<Row[]> {
    const { pieces, groupedBy } = this.#describe(key);
    const met = pieces.flatMap(({ groups = [] }, index) =>
      groups.includes(group) ? [this.#piece<Row>(key, index)] : [],
    );
    return (await Promise.all(met))
      .flat()
      .filter((row) => groupedBy !== undefined && (row as Record<string, unknown>)[groupedBy] === group);
  }

  #groupsOf(key: string): string[] {
    return this.#describe(key).pieces.flatMap(({ groups = [] }) => groups);
  }

  #piece<Row>(key: string, index: number): Promise<Row[]> {
    return this.#remember(
      `${key} ${index}`,
      async () => JSON.parse(`[${(await unpack(this.#parts(key)[index + 1])).replace(/^,/, '')}]`) as Row[],
    );
  }

  #describe(key: string): EmbeddedView {
    const found = this.views.find((view) => view.key === key);
    if (found === undefined) throw new Error(`this report has no view ${key}`);
    return found;
  }

  #parts(key: string): string[] {
    return readBlock(`view-${this.views.indexOf(this.#describe(key))}`);
  }

  #remember<Value>(key: string, make: () => Promise<Value>): Promise<Value> {
    let made = this.#unpacked.get(key) as Promise<Value> | undefined;
    if (made === undefined) this.#unpacked.set(key, (made = make()));
    return made;
  }
}

function readBlock(id: string): string[] {
  return document.getElementById(id)!.textContent!.split(' ');
}

async function unpack(packed: string): Promise<string> {
  const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).text();
}

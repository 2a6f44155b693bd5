// Stage: views -> HTML. A view's JSON, cut where rows end, each piece packed by itself: so a page unpacks only what it shows, and all pieces
// one behind the other are what --format json prints.

import { gzipSync } from 'node:zlib';
import { renderJson } from '../report/json.js';
import type { View } from '../views/view.js';

/** Of the unpacked JSON; less where a page shows one type at a time. */
const PIECE_CHARACTERS = 1 << 20;
const TYPE_PIECE_CHARACTERS = 1 << 16;

export interface Piece {
  readonly rows: number;
  /** Of rows that name a type: those of this piece. */
  readonly types?: readonly string[];
}

/** What the page knows of a view before it unpacks anything. */
export interface EmbeddedView {
  /** "miss-classification?by=line": what the command line is asked for it. */
  readonly key: string;
  /** How many rows the view has; those that are not in `pieces` were left out. */
  readonly rows: number;
  readonly pieces: readonly Piece[];
}

export interface PackedView extends EmbeddedView {
  /** The envelope, then the pieces, then the end: gzip, then base64. */
  readonly packed: readonly string[];
}

export interface PackOptions {
  /** Rows of a type come one behind the other, so that few pieces have them: of each type the first ones, this many. */
  readonly mostPerType?: number;
}

export function packView(key: string, view: View<unknown>, { mostPerType }: PackOptions = {}): PackedView {
  const rows = mostPerType === undefined ? view.rows : groupByType(view.rows as readonly { type: string }[], mostPerType);
  const most = mostPerType === undefined ? PIECE_CHARACTERS : TYPE_PIECE_CHARACTERS;
  const parts = renderJson({ ...view, rows });
  const head = parts.next().value as string;
  const pieces: Piece[] = [];
  const packed = [pack(head)];
  let text = '';
  let count = 0;
  let types = new Set<string>();
  const close = (): void => {
    pieces.push({ rows: count, ...(types.size > 0 && { types: [...types] }) });
    packed.push(pack(text));
    [text, count, types] = ['', 0, new Set()];
  };
  for (const row of rows) {
    text += parts.next().value as string;
    count++;
    const { type } = row as { type?: unknown };
    if (typeof type === 'string') types.add(type);
    if (text.length >= most) close();
  }
  if (count > 0) close();
  packed.push(pack(parts.next().value as string));
  return { key, rows: view.rows.length, pieces, packed };
}

/** Types in the order of their first rows. */
function groupByType<Row extends { type: string }>(rows: readonly Row[], most: number): Row[] {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const group = groups.get(row.type);
    if (group === undefined) groups.set(row.type, [row]);
    else if (group.length < most) group.push(row);
  }
  return [...groups.values()].flat();
}

export function pack(text: string): string {
  return gzipSync(text, { level: 9 }).toString('base64');
}

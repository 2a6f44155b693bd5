// Stage: views -> HTML. A view's JSON, cut where rows end, each piece packed by itself: so a page unpacks only what it shows, and all pieces
// one behind the other are what --format json prints.

import { gzipSync } from 'node:zlib';
import { renderJson } from '../report/json.js';
import type { View } from '../views/view.js';

/** Of the unpacked JSON. */
const PIECE_CHARACTERS = 1 << 20;

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

/** At most `mostPerType` rows of a type, if that is given: the first ones. */
export function packView(key: string, view: View<unknown>, mostPerType?: number): PackedView {
  const rows = mostPerType === undefined ? view.rows : firstOfEachType(view.rows as readonly { type: string }[], mostPerType);
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
    if (text.length >= PIECE_CHARACTERS) close();
  }
  if (count > 0) close();
  packed.push(pack(parts.next().value as string));
  return { key, rows: view.rows.length, pieces, packed };
}

function firstOfEachType<Row extends { type: string }>(rows: readonly Row[], most: number): Row[] {
  const seen = new Map<string, number>();
  return rows.filter(({ type }) => {
    const before = seen.get(type) ?? 0;
    seen.set(type, before + 1);
    return before < most;
  });
}

export function pack(text: string): string {
  return gzipSync(text, { level: 9 }).toString('base64');
}

// Stage: views -> HTML. A view's JSON, cut where rows end, each piece packed by itself: so a page unpacks only what it
// shows, and all pieces one behind the other are what --format json prints.

import { gzipSync } from 'node:zlib';
import { renderJson, type Rows } from '../report/json.js';

/** A piece's limit in characters of unpacked JSON; it is lower where a page shows one group at a time. */
const PIECE_CHARACTERS = 1 << 20;
const GROUP_CHARACTERS = 1 << 16;

export interface Piece {
  readonly rows: number;
  /** The groups that its rows belong to: types, or source files. */
  readonly groups?: readonly string[];
}

/** The facts that the page knows of a view before it unpacks anything. */
export interface EmbeddedView {
  /** "miss-classification?by=line": what the command line is asked for it. */
  readonly key: string;
  /** How many rows the view has; those that are not in `pieces` were left out. */
  readonly rows: number;
  readonly pieces: readonly Piece[];
  /** The key that groups the rows: each piece names the groups in it. */
  readonly groupedBy?: GroupKey;
}

export interface PackedView extends EmbeddedView {
  /** The envelope, then the pieces, then the end: gzip, then base64. */
  readonly packed: readonly string[];
}

const GROUP_KEYS = ['type', 'file'] as const;
export type GroupKey = (typeof GROUP_KEYS)[number];

export interface PackOptions {
  /** The page shows one group at a time. Rows of a group then stand together, so only few pieces have them. */
  readonly isByGroup?: boolean;
  /** The most rows of a group: its first ones. */
  readonly mostRows?: number;
}

export function packView(
  key: string,
  view: Rows,
  { isByGroup = false, mostRows = Infinity }: PackOptions = {},
): PackedView {
  const groupedBy = GROUP_KEYS.find(
    (name) => typeof (view.rows[0] as Partial<Record<GroupKey, unknown>> | undefined)?.[name] === 'string',
  );
  const rows =
    isByGroup && groupedBy !== undefined ? groupRows(view.rows as readonly Grouped[], groupedBy, mostRows) : view.rows;
  const parts = renderJson({ ...view, rows });
  const head = parts.next().value as string;
  const pieces: Piece[] = [];
  const packed = [pack(head)];
  let text = '';
  let count = 0;
  let groups = new Set<string>();
  const close = (): void => {
    pieces.push({ rows: count, ...(groupedBy !== undefined && { groups: [...groups] }) });
    packed.push(pack(text));
    [text, count, groups] = ['', 0, new Set()];
  };
  for (const row of rows) {
    text += parts.next().value as string;
    count++;
    if (groupedBy !== undefined) groups.add((row as Grouped)[groupedBy]);
    if (text.length >= (isByGroup ? GROUP_CHARACTERS : PIECE_CHARACTERS)) close();
  }
  if (count > 0) close();
  packed.push(pack(parts.next().value as string));
  return { key, rows: view.rows.length, pieces, packed, ...(groupedBy !== undefined && { groupedBy }) };
}

type Grouped = Record<GroupKey, string>;

/** Groups in the order of their first rows. */
function groupRows(rows: readonly Grouped[], by: GroupKey, most: number): Grouped[] {
  const groups = new Map<string, Grouped[]>();
  for (const row of rows) {
    const group = groups.get(row[by]);
    if (group === undefined) groups.set(row[by], [row]);
    else if (group.length < most) group.push(row);
  }
  return [...groups.values()].flat();
}

export function pack(text: string): string {
  return gzipSync(text).toString('base64');
}

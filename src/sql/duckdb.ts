// Stage: SQL. Shared by all tables of the database.

/** Rows of a chunk, at most. A whole number of words of validity bits. */
export const CHUNK_ROWS = 2048;

export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Told of each batch that a scan reads, and why there are no more. */
export interface ScanWatcher {
  rows(count: number): void;
  failure(error: unknown): void;
  /** A scan begins; `close` frees what it holds, also where the query ends before it. */
  opened(close: () => void): void;
}

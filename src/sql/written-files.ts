// Stage: SQL. Which statements would write a file: a query only reads, so that none can write over the trace.

import { StatementType } from '@duckdb/node-api';
import { DprofError } from '../base/dprof-error.js';

/** By the type of a statement, the words that make it one that writes. */
const WRITES: Readonly<Partial<Record<StatementType, RegExp>>> = {
  [StatementType.COPY]: /\bto\b/i, // else it reads: copy ... from
  [StatementType.PREPARE]: /\bcopy\b[\s\S]*\bto\b/i,
  [StatementType.EXPLAIN]: /\bcopy\b[\s\S]*\bto\b/i, // explain analyze runs it
  [StatementType.SET]: /\b(profil\w+_output|log_query_path)\b/i,
};

/** DuckDB makes its folder before it says which type it has. */
const EXPORT = /(^|;)\s*export\s+database\b/i;

/** `text`: of all statements that are asked together; `type`: of one of them, when it is known. */
export function refuseWriting(text: string, type?: StatementType): void {
  if (type === undefined ? EXPORT.test(text) : WRITES[type]?.test(text) === true)
    throw new DprofError(
      'the query: a query writes no files',
      'dprof sql TRACE QUERY --format csv > FILE, or --format parquet -o FILE',
      2,
    );
}

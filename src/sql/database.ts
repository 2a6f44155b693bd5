// Stage: SQL. A database in memory over one run: the references are streamed when a query scans them, other tables are
// made when a query names them. What does not fit goes to a folder of its own, which is gone with the database.
// https://duckdb.org/docs/stable/clients/node_neo/overview

import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BIGINT, DuckDBInstance, VARCHAR, type DuckDBConnection, type DuckDBResult } from '@duckdb/node-api';
import { closestNames } from '../base/closest-names.js';
import { DprofError } from '../base/dprof-error.js';
import { removeOnSignal } from '../base/removed-on-signal.js';
import { OutputClosed } from '../base/write-descriptor.js';
import type { ReplayInput } from '../contract/input.js';
import type { Profile } from '../profile/profile.js';
import type { EngineName } from '../replay/replay.js';
import { recordsValues, STREAM_COLUMNS, type ColumnName } from '../stream/stream-columns.js';
import type { ViewName } from '../views/views.js';
import { withOwnAnswers } from './own-answers.js';
import { quoteText, type ScanWatcher } from './duckdb.js';
import { addEvents } from './events-table.js';
import { makeTable } from './make-table.js';
import { PROFILE_TABLES, tableColumns, tableRows, viewCalled } from './profile-tables.js';
import { addRefs } from './refs-table.js';
import { refuseWriting } from './written-files.js';

const MOST_MEMORY = '600MB';

/** The run that a database is made over. */
export interface RunOfTables {
  readonly input: ReplayInput;
  readonly engine: EngineName;
  /** Replays the run, or finds the profile that is kept, with what these views need. */
  readonly profile: (views: readonly ViewName[]) => Promise<Profile>;
  /** Told of references as they are scanned. */
  readonly onRows: (count: number) => void;
  /** Told what whoever asks should know beside the rows. */
  readonly onNote: (note: string) => void;
}

/** Tables that a query reads as it scans. */
const SCANNED = {
  refs: (connection: DuckDBConnection, { input, engine }: RunOfTables, watcher: ScanWatcher) =>
    addRefs(connection, input, engine, watcher),
  events: (connection: DuckDBConnection, { input }: RunOfTables, watcher: ScanWatcher) =>
    addEvents(connection, input, watcher),
};
type ScannedTable = keyof typeof SCANNED;
const SCANNED_TABLES = Object.keys(SCANNED) as ScannedTable[];

export const TABLE_NAMES: readonly string[] = [...SCANNED_TABLES, ...PROFILE_TABLES];

type UseOfResult = (result: DuckDBResult, isOnly: boolean) => Promise<void>;

export class Database {
  readonly #made = new Set<string>();
  /** Why a scan ended early: DuckDB keeps only its words. */
  #failure: unknown;
  /** End the scans that the query began. */
  readonly #closeScans: (() => void)[] = [];
  readonly #keepOnSignal: () => void;

  private constructor(
    private readonly connection: DuckDBConnection,
    private readonly folder: string,
    private readonly of: RunOfTables | null,
  ) {
    this.#keepOnSignal = removeOnSignal(folder);
  }

  /** null: of no run; there are only the tables that are read from files. */
  static async open(of: RunOfTables | null): Promise<Database> {
    const folder = join(tmpdir(), `dprof-sql-${randomUUID()}`);
    const instance = await DuckDBInstance.create(':memory:', {
      memory_limit: MOST_MEMORY,
      temp_directory: folder, // made when it is needed
      autoinstall_known_extensions: 'false',
    });
    const connection = await instance.connect();
    return new Database(connection, folder, of);
  }

  close(): void {
    this.connection.closeSync();
    rmSync(this.folder, { recursive: true, force: true });
    this.#keepOnSignal();
  }

  /** `use` takes rows as they come, of one statement after the other; `isOnly`: there is one. */
  query(asked: string, use: UseOfResult): Promise<void> {
    return this.#query(asked, use, 'asked');
  }

  async #query(asked: string, use: UseOfResult, by: 'asked' | 'copy'): Promise<void> {
    const text = this.of === null ? asked : withOwnAnswers(asked);
    this.#failure = undefined;
    if (text.replaceAll(';', '').trim() === '')
      throw new DprofError('the query is empty', "for example 'from refs limit 5'", 2);
    try {
      if (by === 'asked') refuseWriting(text);
      await this.#makeTables(asked);
      const statements = await this.connection.extractStatements(text);
      for (let at = 0; at < statements.count; at++) {
        const statement = await statements.prepare(at);
        if (by === 'asked') refuseWriting(text, statement.statementType);
        await use(await statement.stream(), statements.count === 1);
      }
    } catch (error) {
      throw refusal(this.#failure ?? error, by);
    } finally {
      for (const close of this.#closeScans.splice(0)) close();
    }
  }

  /** The rows of a query as a file. */
  async copy(text: string, path: string): Promise<void> {
    if ((await this.connection.extractStatements(text)).count > 1)
      throw new DprofError('a Parquet file is of one statement', 'ask for each with a dprof sql of its own', 2);
    const copied = `copy (${text.replace(/;\s*$/, '')}) to ${quoteText(path)} (format parquet, compression zstd)`;
    await this.#query(copied, async (result) => void (await result.fetchAllChunks()), 'copy');
  }

  /** Instead of a trace's, the references that these Parquet files hold. */
  async readRefs(files: readonly string[], columns: readonly ColumnName[]): Promise<void> {
    if (files.length === 0) {
      const none = columns.map(
        (name) => `null::${STREAM_COLUMNS[name].kind === 'words' ? VARCHAR : BIGINT} as "${name}"`,
      );
      await this.connection.run(`create or replace view refs as select ${none.join(', ')} where false`);
      return;
    }
    await this.connection.run(`create or replace view refs as from read_parquet([${files.map(quoteText).join(', ')}])`);
  }

  async #makeTables(text: string): Promise<void> {
    if (this.of !== null) await this.#bindScans(text, this.of);
    const missing = PROFILE_TABLES.filter((name) => mayName(text, name) && !this.#made.has(name));
    if (missing.length === 0) return;
    if (this.of === null)
      throw new DprofError(`${missing[0]} is no table of a dataset`, 'ask the trace: dprof sql RUN.dptrace', 2);
    const views = missing.map(viewCalled).filter((view) => view !== undefined);
    const profile = await this.of.profile(views);
    for (const name of missing) {
      const rows = tableRows(profile, name);
      await makeTable(this.connection, name, rows, tableColumns(name));
      this.#made.add(name);
    }
  }

  async #bindScans(text: string, of: RunOfTables): Promise<void> {
    if (mayName(text, 'refs') && /\bvalue\b/i.test(text) && !recordsValues(of.input.catalog))
      of.onNote('value is null in all rows of refs: compile the program with dprof-cc -fdprof-values');
    const watcher: ScanWatcher = {
      rows: of.onRows,
      failure: (error) => void (this.#failure = error),
      opened: (close) => void this.#closeScans.push(close),
    };
    for (const name of SCANNED_TABLES) {
      if (this.#made.has(name) || !mayName(text, name)) continue;
      this.#made.add(name);
      SCANNED[name](this.connection, of, watcher);
      await this.connection.run(`create view ${name} as from scan_${name}()`);
    }
  }
}

/** DuckDB would say it surely, but only on the thread that table functions need. */
function mayName(text: string, table: string): boolean {
  return new RegExp(`(\\b(from|join|describe|summarize|table)|,)\\s*"?${table}\\b`, 'i').test(text);
}

/** DuckDB's words in one line; of an unknown table the nearest of ours. */
function refusal(error: unknown, by: 'asked' | 'copy'): unknown {
  if (error instanceof DprofError || error instanceof OutputClosed) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code !== undefined) return error; // of writing the answer
  const [first] = message.replace('Failed to extract statements: ', '').split('\n');
  const unknown = /Table with name (\S+) does not exist/.exec(first)?.[1];
  const close = unknown === undefined ? [] : closestNames(unknown, TABLE_NAMES);
  const isOfOutput = by === 'copy' && first.startsWith('IO Error');
  const hint = isOfOutput
    ? 'choose another place: -o FILE'
    : first.startsWith('Out of Memory')
      ? 'ask for fewer columns or rows'
      : unknown === undefined
        ? 'docs/sql.md has the tables and their columns'
        : close.length > 0
          ? `nearest: ${close.join(', ')}`
          : `tables: ${TABLE_NAMES.join(', ')}`;
  return new DprofError(`the query: ${first}`, hint, isOfOutput ? 1 : 2);
}

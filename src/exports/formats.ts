// Stage: profile -> exports. The table of formats, by the name that --to takes: who opens it, what may be asked for
// beside it, and what writes it.

import type { Profile } from '../profile/profile.js';
import { csvRows } from '../report/csv-rows.js';
import { renderCsv } from '../report/csv.js';
import type { DataFlow } from '../views/data-flow.js';
import type { Sharing } from '../views/sharing-rows.js';
import type { RowFilter, View, ViewOptions } from '../views/view.js';
import { buildView, VIEW_NAMES, type ViewName } from '../views/views.js';
import { writeCallgrind } from './callgrind.js';
import { writeCollapsed } from './collapsed.js';
import { writeDot } from './dot-text.js';
import { flowGraph } from './flow-dot.js';
import { writeParquet } from './parquet.js';
import { writePprof } from './pprof.js';
import type { Measure } from './samples.js';
import { sharingGraph } from './sharing-dot.js';
import { writeSpeedscope } from './speedscope.js';
import { writeTraceEvents } from './trace-event.js';

export interface ExportRequest {
  readonly view: ViewName;
  readonly measure: Measure;
  /** Options of the view, and the filters of all views. */
  readonly options: ViewOptions;
}

export interface ExportFormat {
  /** The programs that read it. */
  readonly opens: string;
  /**
   * Views that may be named; the first one is the default. Empty: the format exports the tallies or objects themselves.
   */
  readonly views: readonly ViewName[];
  readonly hasMeasure: boolean;
  /** What its stacks may lead to, beside accesses: allocations. */
  readonly by?: 'site';
  /** The filters that choose the exported data; for views, the filters of the view. */
  readonly filters: readonly (keyof RowFilter)[];
  readonly write: (profile: Profile, request: ExportRequest) => Iterable<string | Uint8Array>;
}

const OF_TALLIES = { views: [], hasMeasure: false, by: 'site', filters: ['type', 'field', 'function'] } as const;
/** Both are graphs. */
const DOT_VIEWS: readonly ViewName[] = ['sharing', 'data-flow'];

export const EXPORT_FORMATS: Readonly<Record<string, ExportFormat>> = {
  callgrind: {
    ...OF_TALLIES,
    opens: 'KCachegrind, callgrind_annotate',
    write: (profile, { options }) => writeCallgrind(profile, options),
  },
  pprof: {
    ...OF_TALLIES,
    opens: 'pprof, go tool pprof, Pyroscope, Parca',
    write: (profile, { options }) => writePprof(profile, options),
  },
  speedscope: {
    ...OF_TALLIES,
    opens: 'speedscope',
    write: (profile, { options }) => writeSpeedscope(profile, options),
  },
  collapsed: {
    ...OF_TALLIES,
    hasMeasure: true,
    opens: 'flamegraph.pl, inferno, speedscope',
    write: (profile, { options, measure }) => writeCollapsed(profile, options, measure),
  },
  'trace-event': {
    views: [],
    hasMeasure: false,
    filters: ['type'],
    opens: 'Perfetto, chrome://tracing',
    write: (profile, { options }) => writeTraceEvents(profile, options),
  },
  dot: { views: DOT_VIEWS, hasMeasure: false, filters: [], opens: 'Graphviz', write: writeGraph },
  csv: {
    views: VIEW_NAMES,
    hasMeasure: false,
    filters: [],
    opens: 'spreadsheets, pandas',
    write: (profile, { view, options }) => renderCsv(csvRows(buildView(profile, view, options) as View<unknown>)),
  },
  parquet: { views: VIEW_NAMES, hasMeasure: false, filters: [], opens: 'DuckDB, pandas, Spark', write: writeColumns },
};

export const EXPORT_NAMES = Object.keys(EXPORT_FORMATS);

function writeGraph(profile: Profile, { view, options }: ExportRequest): Iterable<string> {
  const built = buildView(profile, view, options);
  return writeDot(view === 'sharing' ? [sharingGraph(built as Sharing)] : (built as DataFlow).rows.map(flowGraph));
}

function writeColumns(profile: Profile, { view, options }: ExportRequest): Iterable<Uint8Array> {
  const built = buildView(profile, view, options) as View<unknown>;
  const { rows: _, ...envelope } = built;
  // The rest of the view's JSON, so that a file says which run it is of.
  return writeParquet([...csvRows(built)], { dprof: JSON.stringify(envelope) });
}

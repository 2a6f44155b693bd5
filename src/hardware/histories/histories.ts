// Stage: histories. Object access histories as columns: what debug registers saw of single objects, from allocation to
// free.

/** How a history ended; only the first says where the object was freed. In the order of dprof_histories_ending. */
export const ENDINGS = ['free', 'exit', 'longest', 'elements', 'partner', 'exec'] as const;
export type Ending = (typeof ENDINGS)[number];

export interface HistoriesRun {
  readonly command: readonly string[];
  readonly cover: 'single' | 'pairwise';
  readonly width: number;
  readonly registers: number;
  readonly seed: number;
  readonly oneIn: number;
  readonly perSecond: number;
  readonly mostElements: number;
  readonly longestNs: number;
  readonly sets: number;
  readonly shareLines: boolean;
  readonly randomised: boolean;
  /** The trace that was recorded at the same time. */
  readonly trace: string | null;
  /** The cost of one trap on this machine, measured before the program began. */
  readonly trapNs: number;
  readonly cpus: number;
}

export interface HistoryType {
  readonly number: number;
  readonly name: string;
  readonly bytes: number;
  readonly fields: readonly { readonly path: string; readonly offset: number; readonly bytes: number }[];
  readonly slots: readonly { readonly offset: number; readonly bytes: number }[];
  /** The histories of one set, each the slots that it watches. */
  readonly watches: readonly (readonly number[])[];
}

export interface Place {
  readonly ip: string;
  readonly function: string;
  /** The function whose code it is inlined into. */
  readonly within: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly module: string;
  readonly offset: number;
}

/** By type; all that the program saw of it. */
export interface TypeCounts {
  readonly allocations: number;
  /** Came while another object was watched. */
  readonly busy: number;
  readonly notDrawn: number;
  readonly tooSoon: number;
  /** Had no neighbour on its lines (`--share-lines`). */
  readonly alone: number;
  /** Nobody knows where in its allocation it lies, or it does not fit in there. */
  readonly misplaced: number;
  /** No slot of it lies where a register can watch it. */
  readonly misaligned: number;
  /** Came when there were enough sets of its type (`--sets`). */
  readonly enough: number;
  readonly histories: number;
  readonly elements: number;
}

export interface HistoriesEnd {
  readonly exit: { readonly code?: number; readonly signal?: number };
  readonly types: readonly TypeCounts[];
  readonly endings: readonly number[];
  readonly lost: number;
  readonly stray: number;
  readonly threads: number;
  readonly unwatchedThreads: number;
  /** Nobody announced them (a bare `clone`): they got registers only when they were noticed. */
  readonly lateThreads: number;
  readonly allocationCalls: number;
  readonly sites: number;
  readonly sitesRefused: number;
  /** By fork(): they are not watched. */
  readonly forkedChildren: number;
  /** Anonymous mappings, made by mmap(): objects in them are not watched. */
  readonly mappings: number;
  readonly mappedBytes: number;
  /** By kind of request (dprof_histories_request_kind): what threads of the program waited. */
  readonly waitsNs: readonly number[];
  readonly waits: readonly number[];
  readonly armingNs: number;
  readonly releasingNs: number;
  readonly sitesNs: number;
  readonly clocks: {
    readonly startNs: number;
    readonly endNs: number;
    readonly startStamp: string;
    readonly endStamp: string;
  };
}

/** One row each, in the order in which they ended. */
export interface HistoryColumns {
  readonly type: Uint32Array;
  readonly set: Uint32Array;
  readonly watch: Uint32Array;
  /** 1 + the row of the object that was watched with it; 0: none. */
  readonly partner: Uint32Array;
  readonly address: Float64Array;
  readonly bytes: Float64Array;
  /** From the object's address to what was watched: of an array, one of its elements. */
  readonly element: Float64Array;
  readonly allocatedIp: Float64Array;
  readonly allocatedStamp: BigUint64Array;
  readonly allocatedNs: Float64Array;
  readonly allocatedThread: Uint32Array;
  readonly allocatedCpu: Uint32Array;
  readonly armedNs: Float64Array;
  readonly endedIp: Float64Array;
  readonly endedNs: Float64Array;
  readonly endedThread: Uint32Array;
  readonly endedCpu: Uint32Array;
  readonly ending: Uint8Array;
  readonly elements: Uint32Array;
}

/** History by history, by time in each. */
export interface ElementColumns {
  readonly offset: Uint32Array;
  readonly width: Uint8Array;
  /** Address of the instruction behind the access. */
  readonly ip: Float64Array;
  readonly cpu: Uint32Array;
  readonly thread: Uint32Array;
  readonly timeNs: Float64Array;
}

export interface Histories {
  readonly version: number;
  readonly versionName: string;
  readonly run: HistoriesRun;
  readonly types: readonly HistoryType[];
  readonly places: ReadonlyMap<number, Place>;
  readonly rows: HistoryColumns;
  readonly elements: ElementColumns;
  /** The first element of each row; one more at the end. */
  readonly firstElement: Uint32Array;
  readonly end: HistoriesEnd | null;
  readonly truncated: boolean;
}

/** The field that begins at or holds an offset; the type's whole where there is none. */
export function fieldAt(type: HistoryType, offset: number, bytes: number): string {
  return type.fields
    .filter((field) => field.offset < offset + bytes && field.offset + Math.max(field.bytes, 1) > offset)
    .map((field) => field.path)
    .join(', ');
}

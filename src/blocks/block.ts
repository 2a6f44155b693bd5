// Stage: blocks. A basic block and what became of it: the JSON of `dprof block` has exactly this.

export type BlockStatus = 'measured' | 'crashed' | 'rejected' | 'timed-out' | 'unstable';

/** Calibrated: ticks of the time stamp counter, turned into core cycles by chains of additions. */
export type CycleUnit = 'core-cycles' | 'calibrated';

/** What dprof-blocks answers (runtime/blocks/main.cc). */
export interface BlockAnswer {
  readonly hex: string;
  readonly status: BlockStatus;
  /** One of REASONS; null if it is measured. */
  readonly reason: string | null;
  /** Of one execution, as of all that follows. */
  readonly cycles: number | null;
  readonly unit: CycleUnit;
  /** The clean ones, ascending. */
  readonly timings: readonly number[] | null;
  /** 100 copies, divided by 100. */
  readonly naive: number | null;
  /** The two numbers of copies whose difference was taken. */
  readonly copies: readonly [number, number] | null;
  /** Virtual pages that were mapped onto the one physical page. */
  readonly pages: number;
  /** It made or read subnormal numbers, which were flushed to zero while it was timed. */
  readonly subnormals: boolean;
  /** AT&T's syntax. */
  readonly assembly: readonly string[];
}

export interface Block extends BlockAnswer {
  /** Cycles of an execution, by model. */
  readonly models: Readonly<Record<string, number>>;
  /** What a file of blocks says of it. */
  readonly value?: number;
  /** Of `value`: (cycles - value) / value. */
  readonly error?: number;
}

export interface BlocksReport {
  readonly schema: 'dprof.block/1';
  readonly blocks: readonly Block[];
}

export function blocksReport(blocks: readonly Block[]): BlocksReport {
  return { schema: 'dprof.block/1', blocks };
}

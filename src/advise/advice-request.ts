// Stage: advice. What is asked of a run.

import type { Catalog } from '../contract/catalog.js';
import type { Survey } from '../what-if/survey-columns.js';
import type { AdviceProgress } from './advice-progress.js';
import type { Candidate } from './candidate.js';
import type { ChangedStruct } from './changed-structs.js';
import type { Problems } from './problems.js';
import type { TrialRunner } from './trial-runner.js';

export interface AdviceRequest {
  /** What the run as it was costs. */
  readonly before: Problems;
  /** Tries changes on the whole run. */
  readonly whole: TrialRunner;
  /** Tries them on excerpts of a long run; the same as `whole` of a short one. */
  readonly part: TrialRunner;
  readonly catalog: Catalog;
  readonly survey: Survey;
  /** Structs, unions and classes with fields, by name. */
  readonly recordTypes: ReadonlyMap<string, number>;
  /** How many lines the first machine's L1 holds. */
  readonly cacheLines: number;
  /** The most findings. */
  readonly top: number;
  /** Of the run, an instruction a cycle and all estimated cycles: a change that brings less is none. */
  readonly leastGain: number;
  /** Heap blocks by these, to tell who makes a problem. */
  readonly allocators: readonly Candidate[];
  /** What a change lays out anew. */
  readonly structsOf: (candidate: Candidate) => ChangedStruct[];
  readonly progress: AdviceProgress;
}

// Stage: advice. What is asked of a run.

import type { Catalog } from '../contract/catalog.js';
import type { Survey } from '../what-if/survey-columns.js';
import type { Candidate } from './candidate.js';
import type { ChangedStruct } from './changed-structs.js';
import type { Problems } from './problems.js';
import type { TrialRunner } from './trial-runner.js';

export interface AdviceRequest {
  /** Of the run as it was. */
  readonly before: Problems;
  /** Of the whole run. */
  readonly whole: TrialRunner;
  /** Of excerpts of a long run; else of the whole. */
  readonly part: TrialRunner;
  readonly catalog: Catalog;
  readonly survey: Survey;
  /** Structs, unions and classes with fields, by name. */
  readonly recordTypes: ReadonlyMap<string, number>;
  /** Of the first machine's L1. */
  readonly cacheLines: number;
  /** The most findings. */
  readonly top: number;
  /** Of the run, an instruction a cycle and all estimated cycles: a change that brings less is none. */
  readonly leastGain: number;
  /** Heap blocks by these, to tell who makes a problem. */
  readonly allocators: readonly Candidate[];
  /** What a change lays out anew. */
  readonly structsOf: (candidate: Candidate) => ChangedStruct[];
}

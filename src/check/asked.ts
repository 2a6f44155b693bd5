// Stage: check. A number that dprof.yml asks of a run: of what, which, and by what it is divided.

import type { LevelName, MissClass } from '../contract/machine.js';
import type { Subject } from './subject.js';

export type RateName = `${LevelName}-miss-rate`;
export type MissesName = `${LevelName}-misses`;
export type ClassName = MissClass | `${LevelName}-${MissClass}`;
export type MeasureName =
  | 'references'
  | 'loads'
  | 'stores'
  | MissesName
  | RateName
  | ClassName
  | 'cache-to-cache'
  | 'estimated-cycles'
  | 'instructions'
  | 'invalidations'
  | 'bytes'
  | 'lines'
  | 'unused-bytes';

/** By what a number is divided: `count` of them. */
export interface Per {
  readonly of: 'instructions' | 'references' | 'mark';
  /** The mark's. */
  readonly name?: string;
  readonly count: number;
}

export interface Asked {
  readonly subject: Subject;
  readonly measure: MeasureName;
  /** It is told in percent: of the run's, or for unused bytes of those that were fetched. */
  readonly isShare: boolean;
  readonly per?: Per;
}

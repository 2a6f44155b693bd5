// Stage: replay. One of an object's lives, and the path that it has taken so far. docs/data-flow.md, "Paths".

export interface PathStep {
  /** NO_INDEX: of what was cut. */
  readonly place: number;
  readonly core: number;
  readonly changesCore: boolean;
  /** The time in the object's life. */
  readonly time: number;
  /** By server. */
  readonly served: number[];
  latencyCycles: number;
  beginOffset: number;
  endOffset: number;
}

export class Life {
  /** -1: it goes on. */
  endedAt = -1;
  steps: PathStep[] = [];
  /** The last of the steps is that of no place. */
  isCut = false;

  constructor(
    /** Number of the object. */
    readonly object: number,
    readonly beganAt: number,
    /** That of its last reference; before the first one, where it began. */
    public lastCore: number,
  ) {}
}

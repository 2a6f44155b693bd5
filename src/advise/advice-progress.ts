// Stage: advice. What is told of advice while it is made: a step, and the work of it that is to come and that is done.

/** In this order: the run as it was; changes tried; what is to be told predicted of the whole run. */
export const ADVICE_STEPS = ['look', 'try', 'predict'] as const;
export type AdviceStep = (typeof ADVICE_STEPS)[number];

/** Work is in references to replay. */
export interface AdviceProgress {
  begin(step: AdviceStep): void;
  expect(work: number): void;
  done(work: number): void;
}

/** One replay as work: done as far as the replay says so, and all of it at its end. */
export class ReplayWork {
  #done = 0;

  constructor(
    private readonly progress: Pick<AdviceProgress, 'done'>,
    private readonly work: number,
  ) {}

  /** A pass ahead of the replay counts below zero. */
  readonly upTo = (done: number, total: number): void => {
    const reached = total > 0 ? Math.min(1, Math.max(0, done / total)) * this.work : 0;
    if (reached <= this.#done) return;
    this.progress.done(reached - this.#done);
    this.#done = reached;
  };

  end(): void {
    this.upTo(1, 1);
  }
}

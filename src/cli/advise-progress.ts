// Stage: command line. The progress line of `dprof advise`: the step, and how much of the whole is done, which only
// grows.

import { ADVICE_STEPS, type AdviceProgress, type AdviceStep } from '../advise/advice-progress.js';
import { plural } from '../base/format-number.js';

/** Where each step ends, in percent of the time that advice takes of most runs. */
const ENDS: Readonly<Record<AdviceStep, number>> = { look: 25, try: 75, predict: 100 };
/** Of the work of a step that is known: so much more may turn up. */
const UNKNOWN = 0.2;
/** From here on a line says how long the rest takes. */
const KNOWS_AT = 20;

export class AdviseProgress implements AdviceProgress {
  #step: AdviceStep = 'look';
  #percent = 0;
  #toCome = 0;
  #expected = 0;

  /** `changes`: how many are tried, or were found to be impossible. */
  constructor(
    private readonly named: string,
    private readonly changes: () => number,
  ) {}

  begin(step: AdviceStep): void {
    const before = ADVICE_STEPS[ADVICE_STEPS.indexOf(step) - 1];
    this.#percent = Math.max(this.#percent, before === undefined ? 0 : ENDS[before]);
    this.#step = step;
    this.#toCome = this.#expected = 0;
  }

  expect(work: number): void {
    this.#toCome += work;
    this.#expected += work;
  }

  /** Of what is left of the step, as much as this is of the work that is left. */
  done(work: number): void {
    const left = ENDS[this.#step] - this.#percent;
    const toCome = Math.max(work, this.#toCome) + UNKNOWN * Math.max(work, this.#expected);
    if (toCome > 0) this.#percent += left * (work / toCome);
    this.#toCome = Math.max(0, this.#toCome - work);
  }

  describe(seconds: number): string {
    const doing: Readonly<Record<AdviceStep, string>> = {
      look: `looking through ${this.named}`,
      try: this.changes() === 0 ? 'trying changes' : `trying ${plural(this.changes(), 'change')}`,
      predict: 'trying them on the whole run',
    };
    const number = ADVICE_STEPS.indexOf(this.#step) + 1;
    const percent = Math.floor(this.#percent);
    const said =
      `step ${number} of ${ADVICE_STEPS.length}: ${doing[this.#step]}, ${percent}% of all, ` +
      `${seconds.toFixed(0)} s`;
    // Earlier, nobody knows.
    return percent < KNOWS_AT ? said : `${said}, about ${Math.ceil((seconds * (100 - percent)) / percent)} s left`;
  }
}

// Stage: replay. The program's own announcements: phases and marks; and the times without an open recording window, of
// which nothing was recorded. docs/recording-windows.md.

import { MOST_MARKS, MOST_PHASES, type MarkTable, type PhaseTable } from '../contract/result.js';
import type { EventColumn } from '../trace/event-column.js';
import { MarkKind } from '../trace/layout.js';

interface ClosedTotals {
  readonly windowsClosed: number;
  readonly closedStamps: number;
  readonly droppedWords: number;
}

export class Marks {
  private readonly phases: { readonly name: string; readonly time: number }[] = [];
  /** How often each mark was set, by name, in the order in which names were first met. */
  private readonly marks = new Map<string, number>();
  private closings = 0;
  private openings = 0;
  /** Stamps of openings minus those of closings. */
  private closedStamps = 0n;
  private droppedWords = 0n;
  private lastStamp = 0n;
  /** The counted window began. */
  private before = { closings: 0, closedStamps: 0n };

  /** Any event of the trace goes by. */
  stamp({ hasStamp, stamp }: EventColumn): void {
    if (hasStamp && stamp > this.lastStamp) this.lastStamp = stamp;
  }

  /** A MARK event, at this replay time. */
  event({ detail, number, text: name }: EventColumn, time: number): void {
    switch (detail) {
      case MarkKind.phase:
        if (this.phases.length < MOST_PHASES) this.phases.push({ name, time });
        if (this.marks.size < MOST_MARKS || this.marks.has(name)) this.marks.set(name, (this.marks.get(name) ?? 0) + 1);
        return;
      case MarkKind.closed:
        this.closings++;
        this.closedStamps -= number;
        return;
      case MarkKind.opened:
        this.openings++;
        this.closedStamps += number;
        return;
      case MarkKind.dropped:
        this.droppedWords += number;
    }
  }

  /** The counted window begins: phases stay, marks are counted in it alone. */
  restart(): void {
    this.before = { closings: this.closings, closedStamps: this.closedSoFar() };
    this.droppedWords = 0n;
    for (const name of this.marks.keys()) this.marks.set(name, 0);
  }

  totals(): ClosedTotals {
    return {
      windowsClosed: this.closings - this.before.closings,
      closedStamps: Number(BigInt.asUintN(64, this.closedSoFar() - this.before.closedStamps)),
      droppedWords: Number(BigInt.asUintN(64, this.droppedWords)),
    };
  }

  freeze(): { phases: PhaseTable; marks: MarkTable } {
    const { phases } = this;
    const marks = [...this.marks].filter(([, times]) => times > 0);
    return {
      phases: {
        count: phases.length,
        name: phases.map(({ name }) => name),
        time: Float64Array.from(phases, ({ time }) => time),
      },
      marks: {
        count: marks.length,
        name: marks.map(([name]) => name),
        times: Float64Array.from(marks, ([, times]) => times),
      },
    };
  }

  /** A window that was closed last and not opened again is closed up to the largest stamp of any event. */
  private closedSoFar(): bigint {
    return this.closedStamps + (this.closings > this.openings ? this.lastStamp : 0n);
  }
}

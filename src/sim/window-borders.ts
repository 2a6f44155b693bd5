// Stage: replay. The borders of a window. Each is reached behind a step, and stays reached. docs/replay/windows.md.

import {
  BORDERS,
  type Border,
  type BorderName,
  type Position,
  type ReplayWindow,
  type WindowPositions,
} from '../contract/window.js';
import type { RecordTable } from '../contract/catalog.js';
import type { EventDecoder } from '../trace/event-decoder.js';
import { EventCode, MarkKind, RecordFlag } from '../trace/layout.js';

export class WindowBorders {
  private readonly reached: Record<BorderName, Position | null> = { warmUp: null, from: null, to: null };
  private readonly marksSeen: Record<BorderName, number> = { warmUp: 0, from: 0, to: 0 };

  constructor(
    private readonly window: ReplayWindow,
    private readonly records: RecordTable,
  ) {
    for (const name of BORDERS) {
      const border = window[name];
      if (border?.kind === 'reference' && border.references === 0) this.reached[name] = { references: 0, time: 0 };
    }
  }

  /** References are not made yet. */
  get isSkipping(): boolean {
    return this.isAhead('warmUp');
  }

  get isOver(): boolean {
    return this.reached.to !== null;
  }

  isAhead(name: BorderName): boolean {
    return this.window[name] !== undefined && this.reached[name] === null;
  }

  /** The step has been replayed; so many references were made by now. True if the window begins behind it. */
  pass(step: EventDecoder, references: number, time: number): boolean {
    const wasAhead = this.isAhead('from');
    for (const name of BORDERS) {
      const border = this.window[name];
      if (border !== undefined && this.reached[name] === null && this.isAt(name, border, step, references))
        this.reached[name] = { references, time };
    }
    return wasAhead && this.reached.from !== null;
  }

  positions(): WindowPositions {
    return { ...this.reached };
  }

  private isAt(name: BorderName, border: Border, step: EventDecoder, references: number): boolean {
    const { events } = step;
    switch (border.kind) {
      case 'reference':
        return references >= border.references;
      case 'stamp':
        return this.isStamped(step) && events.stamp >= border.stamp;
      case 'mark':
        if (
          step.isRecord ||
          events.code !== EventCode.mark ||
          events.detail !== MarkKind.phase ||
          events.text !== border.name
        )
          return false;
        return ++this.marksSeen[name] === border.occurrence;
    }
  }

  private isStamped({ isRecord, record, events }: EventDecoder): boolean {
    return isRecord ? (this.records.flags[record] & RecordFlag.stamped) !== 0 : events.hasStamp;
  }
}

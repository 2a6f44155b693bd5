// Stage: stream -> text. Events as JSON lines, or as comma-separated values with a head.

import { csvLine } from '../base/csv-line.js';
import { EVENT_COLUMNS, type RunEvent } from './events.js';
import type { RowFormat } from './row-text.js';

const NAMES = Object.keys(EVENT_COLUMNS) as (keyof RunEvent)[];
/** Written at a time. */
const BLOCK_CHARACTERS = 1 << 16;

export function* eventText(events: Iterable<RunEvent>, format: RowFormat): Generator<string> {
  let text = format === 'csv' ? csvLine(NAMES) : '';
  for (const event of events) {
    text += format === 'csv' ? csvLine(NAMES.map((name) => event[name])) : `${JSON.stringify(event)}\n`;
    if (text.length < BLOCK_CHARACTERS) continue;
    yield text;
    text = '';
  }
  yield text;
}

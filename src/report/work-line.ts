// Stage: diff -> text. The unit that counts of a comparison are divided by, in one line. The HTML page says the same.

import type { Work } from '../diff/change.js';
import { formatCount } from '../base/format-number.js';

export function describeWork({ by, name, before, after }: Work): string {
  if (by === 'mark')
    return (
      `mark ${JSON.stringify(name)}: counts are divided by the times it was set, ${formatCount(before)} before, ` +
      `${formatCount(after)} after`
    );
  return (
    `1,000 ${by}: counts are divided by ${by}, ${formatCount(before)} before, ${formatCount(after)} after, and ` +
    'times 1,000'
  );
}

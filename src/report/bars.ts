// Stage: views -> text. Numbers side by side as bars of one character each.

const PARTS = 20;
/** The width from which on there is room for as many bars as the default L1 has sets. */
const ROOMY = 112;
const BARS = '▁▂▃▄▅▆▇█';

/** Averages of so many parts, each of the largest. */
export function drawBars(
  values: readonly number[],
  most: readonly [few: number, most: number] | undefined,
  width: number,
): string {
  const count =
    most === undefined ? PARTS : Math.min(most[Number.isFinite(width) && width >= ROOMY ? 1 : 0], values.length);
  const parts = Array.from({ length: count }, (_, part) => {
    const own = values.slice(
      Math.floor((part * values.length) / count),
      Math.floor(((part + 1) * values.length) / count),
    );
    return own.reduce((sum, value) => sum + value, 0) / Math.max(1, own.length);
  });
  const largest = Math.max(...parts);
  return largest === 0
    ? ''
    : parts
        .map((part) => (part === 0 ? ' ' : BARS[Math.min(BARS.length - 1, Math.floor((part / largest) * BARS.length))]))
        .join('');
}

// Stage: all. Numbers as people read them.

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

/** 1,234,567: grouped without a locale, so that a report reads the same everywhere. */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+(?!\d))/g, ',');
}

/** "1 path", "2 paths", "2,000 misses", "2 lives". */
export function plural(count: number, noun: string, format: (count: number) => string = formatCount): string {
  return (
    `${format(count)} ` +
    (count === 1
      ? noun
      : /(ch|ss)$/.test(noun)
        ? `${noun}es`
        : noun.endsWith('fe')
          ? `${noun.slice(0, -2)}ves`
          : `${noun}s`)
  );
}

/** A count per unit of work, or an average: three decimals below 100, one above, none where it is whole. */
export function formatRate(rate: number): string {
  if (Number.isInteger(rate)) return formatCount(rate);
  if (Math.abs(rate) < 0.0005) return `${rate < 0 ? '-' : ''}<0.001`;
  const [whole, part] = Math.abs(rate)
    .toFixed(Math.abs(rate) < 100 ? 3 : 1)
    .split('.');
  return `${rate < 0 ? '-' : ''}${formatCount(Number(whole))}.${part}`;
}

/** With its sign: "+12", "-3", "0". */
export function formatChange(change: number, format: (size: number) => string = formatCount): string {
  return change === 0 ? '0' : `${change > 0 ? '+' : '-'}${format(Math.abs(change))}`;
}

/** One decimal; "-" of nothing, and "<0.1%" for what would read as zero and is not. */
export function formatShare(part: number, whole: number): string {
  if (whole === 0) return '-';
  const percent = (100 * part) / whole;
  if (part > 0 && percent < 0.05) return '<0.1%';
  if (part < whole && percent >= 99.95) return '>99.9%';
  return `${percent.toFixed(1)}%`;
}

export function formatBytes(bytes: number): string {
  let unit = 0;
  let value = bytes;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return unit === 0 ? `${Math.round(value)} B` : `${value.toFixed(1)} ${units[unit]}`;
}

export function formatCycles(cycles: number | null): string {
  return cycles === null ? '-' : cycles.toFixed(1);
}

/** An average: whole where it is, else one decimal below 1,000. */
export function formatAverage(value: number): string {
  if (value > 0 && value < 0.05) return '<0.1';
  return Number.isInteger(value)
    ? formatCount(value)
    : value < 1000
      ? value.toFixed(1)
      : formatCount(Math.round(value));
}

/** "3..5..9", or "5" where they are equal. */
export function formatRange({
  minimum,
  median,
  maximum,
}: {
  readonly minimum: number;
  readonly median: number;
  readonly maximum: number;
}): string {
  return minimum === maximum ? formatCount(minimum) : [minimum, median, maximum].map(formatCount).join('..');
}

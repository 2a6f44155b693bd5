// Comma-separated values (RFC 4180, LF).

export function csvLine(cells: readonly unknown[]): string {
  return `${cells.map(quoteCell).join(',')}\n`;
}

/** What is not known is empty. */
export function quoteCell(value: unknown): string {
  const text = value === null || value === undefined ? '' : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

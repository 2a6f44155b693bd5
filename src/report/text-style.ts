// Stage: views -> text. Emphasis on a terminal, nothing anywhere else.

export interface TextStyle {
  /** Infinity: nobody asked for one. Tables are then as wide as their names, and prose 132. */
  readonly width: number;
  readonly strong: (text: string) => string;
  readonly faint: (text: string) => string;
  /** Marks the place to look at first. */
  readonly hot: (text: string) => string;
}

export function chooseStyle(
  stream: { isTTY?: boolean; columns?: number },
  environment: Record<string, string | undefined>,
): TextStyle {
  const asked = Number(environment.COLUMNS);
  const width = stream.columns ?? (asked >= 40 ? asked : Infinity);
  const coloured = stream.isTTY === true && !environment.NO_COLOR && environment.TERM !== 'dumb';
  const wrap = (on: number, off: number) => (text: string) => (coloured ? `\x1b[${on}m${text}\x1b[${off}m` : text);
  return { width, strong: wrap(1, 22), faint: wrap(2, 22), hot: wrap(31, 39) };
}

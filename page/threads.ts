// Stage: HTML page. Counts by thread, the busiest first.

export function busiestFirst(
  threads: Readonly<Record<string, number>>,
): readonly (readonly [thread: string, count: number])[] {
  return Object.entries(threads).sort(([a, first], [b, second]) => second - first || Number(a) - Number(b));
}

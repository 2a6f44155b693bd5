// Stage: validation. The kernel's numbers of threads (histories) to the trace's (creation order). Who allocated an
// object is known to both; other threads are those of the trace that did most of the same to the same objects.

export interface SeenByThread {
  /** By kernel number, of one object: functions that accessed it there, with how often. */
  readonly seen: ReadonlyMap<number, ReadonlyMap<string, number>>;
  readonly traced: ReadonlyMap<number, ReadonlyMap<string, number>>;
}

/** `certain`: what is known without comparing. Threads that nothing speaks for are in no pair. */
export function pairThreads(
  certain: ReadonlyMap<number, number>,
  objects: readonly SeenByThread[],
): Map<number, number> {
  const pairs = new Map(certain);
  const taken = new Set(pairs.values());
  const scores = new Map<string, { readonly tid: number; readonly thread: number; score: number }>();
  for (const { seen, traced } of objects) {
    for (const [tid, accesses] of seen) {
      if (certain.has(tid)) continue;
      for (const [thread, others] of traced) {
        if (taken.has(thread)) continue;
        const common = Array.from(accesses).reduce(
          (sum, [name, count]) => sum + Math.min(count, others.get(name) ?? 0),
          0,
        );
        if (common === 0) continue;
        const key = `${tid} ${thread}`;
        const entry = scores.get(key);
        if (entry) entry.score += common;
        else scores.set(key, { tid, thread, score: common });
      }
    }
  }
  // Numbers rise in both as threads are made, so that equal ones go in order.
  for (const { tid, thread } of [...scores.values()].sort(
    (a, b) => b.score - a.score || a.tid - b.tid || a.thread - b.thread,
  )) {
    if (pairs.has(tid) || taken.has(thread)) continue;
    pairs.set(tid, thread);
    taken.add(thread);
  }
  return pairs;
}

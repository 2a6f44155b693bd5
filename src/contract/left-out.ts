// Stage: trace -> replay. What a replay of many processes leaves out because there is no room for all of them.

/** Bytes are those of the chunks of threads in the traces, without their headers. */
export interface LeftOut {
  /** That were given, and not replayed. */
  readonly processes: number;
  readonly ofProcesses: number;
  /** Of those left out. */
  readonly bytes: number;
  /** Of all that were given. */
  readonly ofBytes: number;
}

/** Of several replays together; undefined: none left anything out. */
export function sumLeftOut(all: readonly (LeftOut | undefined)[]): LeftOut | undefined {
  const some = all.flatMap((one) => one ?? []);
  if (some.length === 0) return undefined;
  const sum = (key: keyof LeftOut): number => some.reduce((total, one) => total + one[key], 0);
  return {
    processes: sum('processes'),
    ofProcesses: sum('ofProcesses'),
    bytes: sum('bytes'),
    ofBytes: sum('ofBytes'),
  };
}

// Stage: trace -> replay. What a replay leaves out of a trace because chunks of threads are damaged.

/** Bytes are those of chunks in the file, without their headers. */
export interface TraceDamage {
  /** Threads that lack some of their chunks. */
  readonly threads: number;
  /** Chunks whose checksum fails. */
  readonly chunks: number;
  /** Sound chunks that cannot be decoded without the damaged ones before them. */
  readonly chunksLeftOut: number;
  /** Of both. */
  readonly bytes: number;
  /** Of all chunks of threads. */
  readonly ofBytes: number;
}

/** Of several traces together; undefined: none is damaged. */
export function sumDamage(all: readonly (TraceDamage | null | undefined)[]): TraceDamage | undefined {
  const damaged = all.flatMap((one) => one ?? []);
  if (damaged.length === 0) return undefined;
  const sum = (key: keyof TraceDamage): number => damaged.reduce((total, one) => total + one[key], 0);
  return {
    threads: sum('threads'),
    chunks: sum('chunks'),
    chunksLeftOut: sum('chunksLeftOut'),
    bytes: sum('bytes'),
    ofBytes: sum('ofBytes'),
  };
}

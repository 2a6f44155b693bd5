// Stage: test. The time that a damaged file may take is processor time, so that a busy machine fails no test.

/** A damaged file takes far less than a second; a reader whose loops follow a damaged count takes minutes. */
export const MOST_PROCESSOR_SECONDS = 20;

/** What all threads of this process have used. */
export function processorSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

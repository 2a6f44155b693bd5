// Stage: test. What a damaged file may take. The time is processor time, so that a busy machine fails no test.

/** A damaged file takes far less than a second; a reader whose loops follow a damaged count takes minutes. */
const MOST_PROCESSOR_SECONDS = 20;
const MOST_MORE_BYTES = 512 << 20;

/** What all threads of this process have used. */
function processorSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** From now on: says what is too much when it is asked, or undefined. */
export function watchLimits(): () => string | undefined {
  const [began, before] = [processorSeconds(), process.memoryUsage.rss()];
  return () => {
    const [seconds, more] = [processorSeconds() - began, process.memoryUsage.rss() - before];
    if (seconds > MOST_PROCESSOR_SECONDS) return `${seconds.toFixed(1)} s of a processor`;
    return more > MOST_MORE_BYTES ? `${more >> 20} MiB more` : undefined;
  };
}

// Stage: profile -> views. The notes on the numbers in tables of samples.

export const SAMPLED_NOTE =
  '~ is an estimate, ± its interval, in percent of it (of shares in points); <: no sample met it, and it is ' +
  'likely below; -: no sample can say it.';

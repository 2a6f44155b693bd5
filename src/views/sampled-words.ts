// Stage: profile -> views. What tables of samples say of their numbers.

export const SAMPLED_NOTE =
  '~ is an estimate, ± its interval, in percent of it (of shares in points); <: no sample met it, and it is ' +
  'likely below; -: no sample can say it.';

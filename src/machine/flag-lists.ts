// Stage: command line -> replay. Flags that say something of several levels or latencies: "lru",
// "l1=tree-plru,llc=srrip", "memory=300,walk=20".

import { usageError } from './sizes.js';

/** In the order of the text. */
export function parseNamed<Name extends string>(
  flag: string,
  text: string,
  names: readonly Name[],
  example: string,
): Map<Name, string> {
  const settings = new Map<Name, string>();
  for (const part of text.split(',')) {
    const [name, value = '', ...rest] = part.split('=');
    const known = names.find((one) => one === name);
    if (known === undefined || value === '' || rest.length > 0) {
      throw usageError(
        `${flag} ${text}: '${part}' is not one of ${names.map((one) => `${one}=…`).join(', ')}`,
        `for example ${flag} ${example}`,
      );
    }
    if (settings.has(known))
      throw usageError(`${flag} ${text}: ${known} is said twice`, `for example ${flag} ${example}`);
    settings.set(known, value);
  }
  return settings;
}

/** The same, and one value without a name is for all. */
export function parseNamedOrAll<Name extends string>(
  flag: string,
  text: string,
  names: readonly Name[],
  example: string,
): Map<Name, string> {
  return /^[^=,]+$/.test(text) ? new Map(names.map((name) => [name, text])) : parseNamed(flag, text, names, example);
}

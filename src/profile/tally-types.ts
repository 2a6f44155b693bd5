// Stage: replay -> profile. The row types of an engine's tallies, for whoever needs them by slot: a profile has them by
// source position.

import type { Catalog } from '../contract/catalog.js';
import type { ReplayResult } from '../contract/result.js';
import { RowTypeBuilder, SiteBuilder, StringBuilder } from './name-tables.js';
import { freezeNames } from './profile-builder.js';
import { RowNames } from './row-names.js';

/** By row of `result.tallies`: what the data profile calls its type. */
export function tallyTypes({ tallies, callPaths }: ReplayResult, catalog: Catalog): string[] {
  const strings = new StringBuilder();
  const types = new RowTypeBuilder(strings);
  const sites = new SiteBuilder(strings);
  const names = new RowNames(catalog, strings, types, sites, callPaths);
  const { slot, rule, type, siteBytes, leaf } = tallies;
  const numbers = Array.from(slot, (of, row) => names.tally(of, rule[row], type[row], siteBytes[row], leaf[row]).type);
  const frozen = freezeNames(strings, types, sites);
  return numbers.map((number) => frozen.strings[frozen.types.name[frozen.renumber.type(number)]]);
}

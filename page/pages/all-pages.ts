// Stage: HTML page. The table of all pages, in the order of the navigation.

import { about } from './about.js';
import { advice } from './advice.js';
import { pagesOfOthers } from './any-view.js';
import { blocks } from './blocks.js';
import { dataFlow } from './data-flow.js';
import { dataProfile } from './data-profile.js';
import { functions } from './functions.js';
import { locks } from './locks.js';
import { missClasses } from './miss-classes.js';
import { overview } from './overview.js';
import type { PageDefinition } from './page-definition.js';
import { pathTraces } from './path-traces.js';
import { sets } from './sets.js';
import { sharedVariables } from './shared-variables.js';
import { sharing } from './sharing.js';
import { source } from './source.js';
import { structLayout } from './struct-layout.js';
import { evictions, invalidations } from './takers.js';
import { workingSet } from './working-set.js';

const OWN: readonly PageDefinition[] = [
  advice,
  overview,
  dataProfile,
  missClasses,
  structLayout,
  workingSet,
  sets,
  evictions,
  dataFlow,
  pathTraces,
  sharing,
  invalidations,
  sharedVariables,
  locks,
  functions,
  blocks,
  source,
  about,
];

export const PAGES: readonly PageDefinition[] = [...OWN.slice(0, -1), ...pagesOfOthers(OWN), about];

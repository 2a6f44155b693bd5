// Stage: HTML page. The table of all pages, in the order of the navigation.

import { about } from './about.js';
import { dataProfile } from './data-profile.js';
import { functions } from './functions.js';
import { missClasses } from './miss-classes.js';
import { overview } from './overview.js';
import type { PageDefinition } from './page-definition.js';
import { sharing } from './sharing.js';
import { source } from './source.js';
import { evictions, invalidations } from './takers.js';

export const PAGES: readonly PageDefinition[] = [overview, dataProfile, missClasses, evictions, sharing, invalidations, functions, source, about];

// Stage: HTML page. The table of the pages of a resampling, in the order of the navigation.

import type { PageDefinition } from '../pages/page-definition.js';
import { errors } from './errors.js';
import { lost } from './lost.js';
import { overview } from './overview.js';
import { shares } from './shares.js';

export const RESAMPLING_PAGES: readonly PageDefinition[] = [overview, errors, shares, lost];

// Stage: HTML page. The table of the pages of a comparison, in the order of the navigation.

import type { PageDefinition } from '../pages/page-definition.js';
import { classes } from './classes.js';
import { fields } from './fields.js';
import { objects } from './objects.js';
import { overview } from './overview.js';
import { paths } from './paths.js';
import { runs } from './runs.js';
import { types } from './types.js';

export const COMPARISON_PAGES: readonly PageDefinition[] = [overview, runs, types, fields, classes, objects, paths];

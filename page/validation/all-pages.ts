// Stage: HTML page. The table of the pages of a validation, in the order of the navigation.

import type { PageDefinition } from '../pages/page-definition.js';
import { sampledCode } from './code.js';
import { sampledShares } from './shares.js';

export const VALIDATION_PAGES: readonly PageDefinition[] = [sampledShares, sampledCode];

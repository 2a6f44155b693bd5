// Stage: replay. Lists that columns of results and profiles refer to by a place in them: levels, classes, servers.

import type { NameList } from '../base/table-description.js';
import { CLASSES, LEVELS, SERVERS } from './machine.js';

export const LEVEL_NAMES = { name: 'levels', members: LEVELS } as const satisfies NameList;
export const CLASS_NAMES = { name: 'classes', members: CLASSES } as const satisfies NameList;
export const SERVER_NAMES = { name: 'servers', members: SERVERS } as const satisfies NameList;

// Writes what the native engine has to know of a result's columns and counters: run it after a change to
// src/contract/result.ts, flow-result.ts or threads-result.ts, and compile TypeScript before.

import { mkdirSync, writeFileSync } from 'node:fs';
import { engineHeader } from '../dist/src/replay/engine-header.js';

mkdirSync(new URL('../engine/generated/', import.meta.url), { recursive: true });
writeFileSync(new URL('../engine/generated/result_columns.h', import.meta.url), engineHeader());

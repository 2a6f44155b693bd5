// clang-format over our C and C++ files, in place.

import { execFileSync } from 'node:child_process';
import { nativeSources } from './sources.mjs';

execFileSync('clang-format-19', ['-i', ...nativeSources()], { stdio: 'inherit' });

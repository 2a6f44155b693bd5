// Stage: all. Programs of LLVM, which Debian names by their version: clang-22, llvm-objcopy-19.

import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Those that the plugin is written for, the newest first (llvm-pass/wrapper/compiler.cpp). */
const VERSIONS = ['22', '19', '16'] as const;
/** What the documentation has people install. */
const USUAL = '19';

/** "clang++-22": of the version that DPROF_LLVM names, or of the newest that is installed; else of the usual one. */
export function llvmTool(name: string): string {
  const { DPROF_LLVM: wanted, PATH = '' } = process.env;
  const versions = wanted ? [wanted] : VERSIONS;
  const isThere = (tool: string): boolean =>
    PATH.split(delimiter).some((folder) => {
      try {
        accessSync(join(folder, tool), constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
  const found = versions.find((version) => isThere(`${name}-${version}`)) ?? (wanted || USUAL);
  return `${name}-${found}`;
}

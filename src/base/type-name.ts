// Stage: all. Names of types that say where they are declared, because several are called the same.

/** " (a/util.c:3)", " (util.h:7, 16 bytes)", " (16 bytes, layout 1b2c3d4e)": as src/trace/type-names.ts writes them. */
const DECLARED = / \((?!anonymous at )(?:[^()]+:\d+)?(?:(?:^|, )?\d+ bytes)?(?:, layout [0-9a-f]{8})?\)$/;

/** Whether the type is asked for: by its name, or by what the language writes, which other types may be called too. */
export function isTypeAsked(name: string, asked: string): boolean {
  return name === asked || (name.startsWith(`${asked} (`) && name.replace(DECLARED, '') === asked);
}

// Stage: all. Names of types that say where they are declared, because several are called the same.

/** " (a/util.c:3)", " (util.h:7, 16 bytes)", " (16 bytes, layout 1b2c3d4e)": as src/trace/type-names.ts writes them. */
const DECLARED = / \((?!anonymous at )(?:[^()]+:\d+)?(?:(?:^|, )?\d+ bytes)?(?:, layout [0-9a-f]{8})?\)$/;

/**
 * Of rows by allocation site, "double[] u (adi.c:12)", "heap-64 (list.c:7)" and, where no line is known, "heap-64
 * (list.c)": the type and the rest.
 */
const ROW_BY_SITE = /^((?:heap|pool)-\d+|[^()]*\[\])(?: [^()]+)? \((?:[^()]+:\d+|[^()\s]+)\)$/;
/** "~ struct node", as text spells a type that a vote named. */
const VOTED = /^~ /;
/** "heap-64@make": the allocating function stands behind the size. */
const ALLOCATED_BY = /^((?:heap|pool)-\d+)@/;

/**
 * Whether the type is asked for: by its name, by what the language writes, which other types may be called too, or as
 * a row by site names it.
 */
export function isTypeAsked(name: string, spelled: string): boolean {
  const asked = spelled.replace(VOTED, '');
  if (name === asked || (name.startsWith(`${asked} (`) && name.replace(DECLARED, '') === asked)) return true;
  const ofRow = ROW_BY_SITE.exec(asked)?.[1] ?? asked;
  return name === ofRow || ALLOCATED_BY.exec(name)?.[1] === ofRow;
}

/** Whether more than a type is asked for: the row of one site. */
export function isRowAsked(asked: string): boolean {
  return ROW_BY_SITE.test(asked);
}

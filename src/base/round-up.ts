// Stage: none of its own. The next multiple of an alignment.

export function roundUp(bytes: number, align: number): number {
  return Math.ceil(bytes / align) * align;
}

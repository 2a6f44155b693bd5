// Stage: all. Ids that must not be mixed up: plain numbers at run time, distinct types to the compiler.

declare const brand: unique symbol;
type Branded<Name extends string> = number & { readonly [brand]: Name };

/** Row of `Catalog.types`; 0 is "unknown". */
export type TypeId = Branded<'TypeId'>;
/** Row of `Catalog.slots`: one static access. */
export type SlotId = Branded<'SlotId'>;
/** Row of `Catalog.records`: what a header word of the event stream points to. */
export type RecordId = Branded<'RecordId'>;
/** Row of the object columns. */
export type ObjectId = Branded<'ObjectId'>;
export type ThreadId = Branded<'ThreadId'>;
export type CoreId = Branded<'CoreId'>;
/** Address divided by the line size. */
export type LineNumber = Branded<'LineNumber'>;

export const NO_INDEX = 0xffffffff;

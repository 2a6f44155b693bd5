// Stage: plugin. What LLVM 16, 19 and 22 spell differently, in one spelling. Each header has what changed at one
// version, as it was before or as it has been since. So LLVM 18 would take version-18.h, version-19.h and
// debug_intrinsics.h.
#ifndef DPROF_VERSION_H
#define DPROF_VERSION_H

#include "llvm/Config/llvm-config.h"

static_assert(LLVM_VERSION_MAJOR == 16 || LLVM_VERSION_MAJOR == 19 || LLVM_VERSION_MAJOR == 22,
              "the plugin is written for LLVM 16, 19 and 22");

#if LLVM_VERSION_MAJOR >= 18
#include "version-18.h"
#else
#include "version-16.h"
#endif
// isDisjointOr(Operation, Layout)          an or that is an addition
// extendsNonNegative(Extension, Layout)    zero extension of a value that is not negative
// strideOf(Index, Layout)                  bytes from one element to the next
// splitBlockAt(Block, At, ...)
// probeDescriptor(Context, Number, Name)   what pseudo probes of that number are of
// TypeCheckedLoadRelative                  an intrinsic
// readLists(Paths, Error)                  special-case lists, of globs
// hasTypedPointers(Module)                 pointers say to what they point

#if LLVM_VERSION_MAJOR >= 22
#include "version-22.h"
#else
#include "version-19.h"
#endif
// IndexScales                              of an address
// MaskBehindPointer                        operands from the pointer to the mask of a masked load or store
// isCPlusPlus(Unit)
// expanderOf(Evolutions, Layout)
// nextInstruction(I)                       that is no debug information
// intrinsicOf(Module, Id)
// mayBeCaptured(Pointer)                   somebody else may have the address
// recordNamed(Context, Tag, Name)          a type

#if LLVM_VERSION_MAJOR >= 19
#include "debug_records.h"
#else
#include "debug_intrinsics.h"
#endif
// VariableRecord                           says where a source variable is, from its place in the code on
// AssignmentRecord                         one of optimised code, that tracks an assignment
// declares(Record)                         the variable lives in memory
// declarationsOf(Memory)                   records of the variables that live there
// valueRecordsOf(Value)                    records of the variables that have this value
// assignmentsTo(Stack)                     records of assignments that a stack variable is linked to
// recordsIn(Block)                         all of them
// moveRecord(Record, Before)
// forgetRecords(Block)                     with those of labels
// remapRecords(I, Copies, Flags)           what RemapInstruction leaves out
// useRecordsOf(New, Old)                   a new block has them in the form that another one has

#endif

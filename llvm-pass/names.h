// Stage: plugin. Every symbol and section that instrumented code shares with the runtime or the linker, spelled once.
#ifndef DPROF_PASS_NAMES_H
#define DPROF_PASS_NAMES_H

namespace dprof::names {

inline constexpr char Prefix[] = "__dprof_";
inline constexpr char Thread[] = "__dprof_thread";
inline constexpr char Refill[] = "__dprof_refill";
inline constexpr char Stamp[] = "__dprof_stamp";
inline constexpr char Measure[] = "__dprof_measure";
inline constexpr char Duplicated[] = "__dprof_duplicated";          // what strdup returned; of string_calls.h alone
inline constexpr char NoteAllocate[] = "__dprof_note_allocate";     // address, size, count, pool
inline constexpr char NoteReallocate[] = "__dprof_note_reallocate"; // address, size, count, pool, old address
inline constexpr char NoteOut[] =
    "__dprof_note_out"; // where the address is, size, count, pool, whether it succeeded, old address
inline constexpr char NoteFree[] = "__dprof_note_free";
inline constexpr char NoteFreeEach[] = "__dprof_note_free_each"; // where the addresses are, how many
inline constexpr char NoteFreePool[] = "__dprof_note_free_pool";
inline constexpr char NoteField[] =
    "__dprof_note_field"; // whether it succeeded, struct, offset, bytes (0: its address)
inline constexpr char NoteNamed[] =
    "__dprof_note_named"; // address, its name, names one after the other; which of them, from 1 on
inline constexpr char NoteUnit[] =
    "__dprof_note_unit"; // element, its table's variable, bytes of one, the memory's variable, bytes for one element
inline constexpr char NoteReceived[] = "__dprof_note_received";     // address, enum dprof_received
inline constexpr char NoteAcquire[] = "__dprof_note_acquire";       // lock, enum dprof_sync, whether it succeeded
inline constexpr char NoteRelease[] = "__dprof_note_release";       // lock, enum dprof_sync
inline constexpr char NoteCalling[] = "__dprof_note_calling";       // the function: notes of this call stand beside it
inline constexpr char NoteCalled[] = "__dprof_note_called";         // the function; whether they do
inline constexpr char RingOpened[] = "__dprof_ring_opened";         // liburing's struct, the call's result
inline constexpr char RingClosing[] = "__dprof_ring_closing";       // liburing's struct
inline constexpr char RingSubmitting[] = "__dprof_ring_submitting"; // liburing's struct
inline constexpr char RingSeen[] = "__dprof_ring_seen";             // liburing's struct
inline constexpr char RingBuffers[] = "__dprof_ring_buffers";       // liburing's struct, buffers, entries, group, flags
inline constexpr char RingBuffersRegistered[] =
    "__dprof_ring_buffers_registered";                      // liburing's struct, what was registered, the call's result
inline constexpr char RingLoaded[] = "__dprof_ring_loaded"; // address, the value that was loaded
inline constexpr char RingStoring[] = "__dprof_ring_storing";   // address, the value that will be stored
inline constexpr char RingSetUp[] = "__dprof_ring_set_up";      // the call's result, its parameters
inline constexpr char RingMapped[] = "__dprof_ring_mapped";     // what mmap returned, bytes, descriptor, offset
inline constexpr char RingEntering[] = "__dprof_ring_entering"; // descriptor, flags
inline constexpr char RingEntered[] = "__dprof_ring_entered";   // descriptor, flags
inline constexpr char Alloc[] = "__dprof_alloc";                // address, size, name of the type: dprof.h's
inline constexpr char Free[] = "__dprof_free";
inline constexpr char Register[] = "__dprof_register_module_v1";
inline constexpr char Unregister[] = "__dprof_unregister_module_v1";
inline constexpr char Active[] = "__dprof_active";
inline constexpr char Unit[] = "__dprof_unit";
inline constexpr char Module[] = "__dprof_module";
inline constexpr char LeftForLink[] = "__dprof_left_for_link";
inline constexpr char NeedsLld[] = "__dprof_lto_needs_lld_or_fuse_ld_when_compiling";
inline constexpr char Constructor[] = "__dprof_module_constructor";
inline constexpr char Destructor[] = "__dprof_module_destructor";
inline constexpr char ThreadLocals[] = "__dprof_visit_thread_locals";
inline constexpr char UnitSection[] = "dprof_units";
inline constexpr char GlobalSection[] = "dprof_globals";
inline constexpr char ThreadLocalSection[] = "dprof_thread_locals";

} // namespace dprof::names

#endif

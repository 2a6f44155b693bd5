// Calling conventions of functions on the hot path: clang's that keep registers, except under AddressSanitizer, whose
// frames they do not fit.
#pragma once

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define DPROF_PLAIN_CALLS 1
#endif
#endif

#ifdef DPROF_PLAIN_CALLS
#define DPROF_KEEPS_ALL
#define DPROF_KEEPS_NONE
#undef DPROF_PLAIN_CALLS
#else
/// The callee keeps nearly all registers: for what is rarely called.
#define DPROF_KEEPS_ALL __attribute__((preserve_most))
/// The callee keeps none: for functions that end in a call of the next.
#define DPROF_KEEPS_NONE __attribute__((preserve_none))
#endif

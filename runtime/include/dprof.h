/* Calls with which a program tells dprof of memory that it hands out itself, of its phases, and when to record.
 *
 * Needs no library. With any compiler except dprof-cc (which defines __DPROF__), a call only evaluates its arguments.
 * With dprof-cc, if the program is not recorded, it is a call that returns at once.
 */
#ifndef DPROF_H
#define DPROF_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stddef.h>
#endif

#ifdef __DPROF__

#ifdef __cplusplus
extern "C" {
#endif
void *__dprof_alloc(void *address, size_t size, const char *type);
void __dprof_free(const void *address);
void __dprof_start(void);
void __dprof_stop(void);
void __dprof_mark(const char *phase);
#ifdef __cplusplus
}
#endif

/* [address, address + size) is an object now, inside whatever memory it lies in. `type`: a constant string, "struct
 * node"; "" for unknown. */
#define dprof_alloc(address, size, type) ((void)__dprof_alloc((void *)(address), (size), (type)))
/* The object that dprof_alloc began at `address` ends. */
#define dprof_free(address) __dprof_free(address)
/* The process records references from here on; up to here. Allocations, frees and synchronisation are recorded
 * always. */
#define dprof_start() __dprof_start()
#define dprof_stop() __dprof_stop()
/* A phase begins here: reports name it, with its replay time. */
#define dprof_mark(phase) __dprof_mark(phase)

#else

static inline void dprof_alloc(const void *address, size_t size, const char *type) {
  (void)address, (void)size, (void)type;
}
static inline void dprof_free(const void *address) { (void)address; }
static inline void dprof_start(void) {}
static inline void dprof_stop(void) {}
static inline void dprof_mark(const char *phase) { (void)phase; }

#endif
#endif

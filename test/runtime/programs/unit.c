// The unit of instrumented.h, for programs that are not C.
#include "instrumented.h"

extern const struct test_unit test_unit_bytes __attribute__((alias("unit"), visibility("hidden")));
const unsigned long test_unit_size = sizeof(struct test_unit);

void log_one_store(void) { store_one(&test_global, 1); }

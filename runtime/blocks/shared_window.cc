// Stage: blocks. The file in memory, the harness at its beginning, and XRSTOR's image.
#include "shared_window.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

namespace dprof {
namespace {

// XSAVE's standard format.
static_assert(VECTORS - STATE >= 160 && VECTORS - STATE + 64 <= 160 + 16 * 16);
constexpr size_t mxcsr_at = 24, x87_control_at = 0, xmm_at = 160, components_at = 512, avx_at = 576, masks_at = 1088,
                 zmm_high_at = 1152, zmm_more_at = 1664, state_bytes = 2688;
constexpr uint64_t sse = 1 << 1, avx = 1 << 2, avx512 = 0xe0;
constexpr uint32_t float_one = 0x3f800000; // a normal number as a float, and twice as a double
constexpr uint16_t x87_control = 0x37f;

[[noreturn]] void give_up(const char *what) {
  fprintf(stderr, "dprof-blocks: %s: %s\n", what, strerror(errno));
  exit(1);
}

} // namespace

SharedWindow::SharedWindow() {
  file = memfd_create("dprof-block", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, file_bytes) != 0) give_up("no file in memory");
  bytes = (uint8_t *)mmap(nullptr, file_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (bytes == MAP_FAILED) give_up("no room for the window");
  memcpy(bytes, dprof_harness, (size_t)(dprof_harness_end - dprof_harness));
}

SharedWindow::~SharedWindow() {
  munmap(bytes, file_bytes);
  close(file);
}

void SharedWindow::make_own_pages_new() {
  constexpr uint64_t fill = FILL;
  for (size_t at = OWN_PAGES; at < file_bytes; at += sizeof fill) memcpy(bytes + at, &fill, sizeof fill);
}

void SharedWindow::set_state(int width, uint32_t mxcsr) {
  uint8_t *state = bytes + STATE;
  memset(state, 0, state_bytes);
  memcpy(state + x87_control_at, &x87_control, sizeof x87_control);
  memcpy(state + mxcsr_at, &mxcsr, sizeof mxcsr);
  const auto fill = [&](size_t at, size_t count, uint32_t value) {
    for (size_t i = 0; i < count; i += sizeof value) memcpy(state + at + i, &value, sizeof value);
  };
  fill(xmm_at, 16 * 16, float_one);
  uint64_t components = sse;
  if (width >= 1) {
    components |= avx;
    fill(avx_at, 16 * 16, float_one);
  }
  if (width >= 2 && has_avx512) {
    components |= avx512;
    fill(masks_at, 8 * 8, UINT32_MAX);
    fill(zmm_high_at, 16 * 32, float_one);
    fill(zmm_more_at, 16 * 64, float_one);
  }
  memcpy(state + components_at, &components, sizeof components);
}

} // namespace dprof

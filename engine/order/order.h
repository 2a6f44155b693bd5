// Stage: trace -> replay. Decides which thread issues its next step: docs/replay/order.md. The receiver takes no more
// than fits a batch; then the order continues where it was.
#pragma once

namespace dprof {

class Order {
public:
  virtual ~Order() = default;
  /// Issues steps until there is enough, or there are no more.
  virtual void run() = 0;
};

} // namespace dprof

// Stage: trace -> replay. Which thread issues its next step: docs/replay/order.md. What it issues to takes no more
// than fits a batch, so an order goes on where it was.
#pragma once

namespace dprof {

class Order {
public:
  virtual ~Order() = default;
  /// Issues steps until there is enough, or there are no more.
  virtual void run() = 0;
};

} // namespace dprof

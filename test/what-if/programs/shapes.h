// Shapes as they would be: what a walk over them uses stands in front.
#include <vector>

namespace plane {

template <typename Number> struct Box {
  Number left, top, right, bottom;
};

class Shape {
public:
  virtual ~Shape() = default;
  virtual double area() const = 0;
#ifdef CHANGED
  double scale = 1;
  unsigned hidden : 1, kind : 5;
  char name[50];
  Box<double> box;
#else
  unsigned hidden : 1, kind : 5;
  char name[50];
  Box<double> box;
  double scale = 1;
#endif
};

class Circle final : public Shape {
public:
  explicit Circle(double size) : radius(size) {}
  double area() const override { return radius * radius * 3; }

private:
#ifdef CHANGED
  double radius;
  char colour[13];
#else
  char colour[13];
  double radius;
#endif
};

} // namespace plane

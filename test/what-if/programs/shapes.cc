// A class with a base, a template and bit-fields, in blocks of its own.
#include <cstdio>

#include "shapes.h"

int main() {
  std::vector<plane::Circle *> circles;
  for (int i = 0; i < 2000; i++) {
    auto *circle = new plane::Circle(i);
    circle->hidden = i % 2;
    circle->kind = static_cast<unsigned>(i % 30);
    circle->box = {1.0 * i, 2.0, 3.0, 4.0};
    circle->name[3] = 'c';
    circles.push_back(circle);
  }
  double sum = 0;
  for (int round = 0; round < 12; round++)
    for (const plane::Circle *circle : circles)
      if (!circle->hidden) sum += circle->area() * circle->scale;
  for (plane::Circle *circle : circles) delete circle;
  std::printf("%g\n", sum);
}

// Memory of containers and classes: each is to be told by the variable or field that has it.
#include <cstdlib>
#include <memory>
#include <vector>

class Matrix {
public:
  explicit Matrix(int n) : n(n), data(new double[n * n]) {} // line 8
  ~Matrix() { delete[] data; }
  int n;
  double *data;
};

struct Samples {
  explicit Samples(size_t n) : values(n) {} // line 15
  std::vector<double> values;
};

static std::vector<double> make(size_t n) {
  std::vector<double> v(n);
  return v;
}

template <class T> static T *allocate(size_t n) { return static_cast<T *>(std::malloc(n * sizeof(T))); }

struct Pool {
  double *take(size_t n) { return new double[n]; }
};

__attribute__((noinline)) static double *use(double *memory) {
  asm volatile("" : "+r"(memory) : : "memory");
  return memory;
}

int main() {
  size_t n = 4096;
  std::vector<double> a = make(n); // line 37
  std::vector<double> b;
  b = make(n); // line 39
  auto p = std::make_unique<double[]>(n); // line 40
  std::unique_ptr<double[]> q(new double[n]); // line 41
  std::unique_ptr<double[]> r;
  r.reset(new double[n]); // line 43
  Matrix m(64);
  Samples s(n);
  double *t = allocate<double>(n); // line 46
  Pool pool;
  double *w = pool.take(n); // line 48
  double *all[] = {use(a.data()), use(b.data()), use(p.get()),         use(q.get()), use(r.get()),
                   use(m.data),   use(t),        use(s.values.data()), use(w)};
  double sum = 0;
  for (double *one : all)
    for (size_t i = 0; i < n; i++) sum += one[i] = i;
  std::free(t);
  delete[] w;
  return sum < 0;
}

struct item {
  double value;
};
#define CALLOC(T, n) ((T *)calloc((n), sizeof(T)))
static inline double value_of(const struct item *i) { return i->value; } // 5

// A library with one loop; a build with LONGER has another.
long add_up(const long *values, long count);
long add_up(const long *values, long count) {
  long sum = 0;
  for (long i = 0; i < count; i++) sum += values[i];
#ifdef LONGER
  for (long i = 0; i < count; i++) sum ^= values[i] << i;
#endif
  return sum;
}

// Built without instrumentation, beside reasons.c.
struct record {
  volatile long count;
};
void elsewhere(struct record *r) { r->count = 5; }

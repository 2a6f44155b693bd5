// A module that comes late, with a type and a global of its own.
struct wheel {
  long turns, teeth[200];
};
static struct wheel wheel;

void turn(long rounds) {
  for (long i = 0; i < rounds; i++) {
    wheel.turns++;
    wheel.teeth[(i * 31) % 200] += wheel.turns;
  }
}

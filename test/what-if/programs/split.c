// Particles in an array, of which most loops need two fields: the others in an array of their own.
#include <stdio.h>
#include <stdlib.h>

enum { PARTICLES = 3000 };
#ifdef CHANGED
struct particle {
  double position, speed;
};
struct cold {
  double mass, charge;
  char name[24];
};
#define COLD(i) cold[i]
#else
struct particle {
  double mass, position, charge;
  char name[24];
  double speed;
};
#define COLD(i) particles[i]
#endif

int main(void) {
  struct particle *particles = calloc(PARTICLES, sizeof *particles);
#ifdef CHANGED
  struct cold *cold = calloc(PARTICLES, sizeof *cold);
#endif
  int *order = calloc(PARTICLES, sizeof *order);
  for (int i = 0; i < PARTICLES; i++) {
    COLD(i).mass = i;
    COLD(i).charge = i % 3;
    COLD(i).name[i % 24] = 'p';
    particles[i].speed = i % 11;
    order[i] = i * 7 % PARTICLES;
  }
  for (int round = 0; round < 6; round++)
    for (int i = 0; i < PARTICLES; i++) particles[order[i]].position += particles[order[i]].speed;
  double sum = 0;
  for (int i = 0; i < PARTICLES; i++) sum += COLD(i).mass * particles[i].position + COLD(i).name[3];
  printf("%f\n", sum);
}

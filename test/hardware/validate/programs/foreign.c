// Built by a compiler that instruments nothing.

struct packet {
  long lock, kind, bytes, rest[5];
};

void foreign(struct packet *packet) { packet->bytes++; }

// Does nothing: what is measured of it is what starting takes.
int main(void) { return 0; }

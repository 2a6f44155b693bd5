struct shared { long hits; long misses; };
#ifdef WIDE
#define WORDS 8
#else
#define WORDS 2
#endif
struct varies { long words[WORDS]; };

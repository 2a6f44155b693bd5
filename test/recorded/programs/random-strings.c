// String functions of libc on random strings, each with the references that its definition makes of it, worked out
// character by character. Prints them; the model's own accesses are not recorded.
//   random-strings SEED TRIALS
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <unistd.h>
#include <wchar.h>

#define MODEL __attribute__((noinline, disable_sanitizer_instrumentation)) static
#define PAGE(number) ((char *)0x10000000 + (number) * 4096)

static uint64_t state;
static int is_wide;
static char *tokens; // where the model is in a text that is taken apart

MODEL uint64_t below(uint64_t most) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (state >> 33) % most;
}

MODEL unsigned at(const char *text, size_t i) {
  return is_wide ? ((const unsigned *)text)[i] : ((const unsigned char *)text)[i];
}
MODEL size_t bytes(size_t characters) { return is_wide ? characters * 4 : characters; }

// A piece for each line of 64 bytes.
MODEL void expect(char kind, const void *address, size_t size) {
  for (uintptr_t from = (uintptr_t)address, end = from + size; from < end;) {
    uintptr_t next = (from | 63) + 1 < end ? (from | 63) + 1 : end;
    printf("0 %c %lx %lu\n", kind, (unsigned long)from, (unsigned long)(next - from));
    from = next;
  }
}
MODEL void expect_whole(char kind, const void *address) { printf("0 %c %lx 8\n", kind, (unsigned long)address); }
MODEL void expect_copy(const char *to, const char *from, size_t size) {
  for (size_t done = 0; done < size;) {
    size_t piece = 64 - ((uintptr_t)(from + done) & 63);
    if (piece > size - done) piece = size - done;
    printf("0 r %lx %lu\n0 w %lx %lu\n", (unsigned long)(from + done), (unsigned long)piece, (unsigned long)(to + done),
           (unsigned long)piece);
    done += piece;
  }
}

// In characters, each with the one that ends it.
MODEL size_t length(const char *text, size_t most) {
  size_t n = 0;
  while (n < most && at(text, n)) n++;
  return n < most ? n + 1 : most;
}
MODEL size_t until(const char *text, unsigned c, int or_end, size_t most) {
  for (size_t n = 0; n < most; n++)
    if (at(text, n) == c || (or_end && !at(text, n))) return n + 1;
  return most;
}
MODEL unsigned folded(unsigned c, int folds) { return folds && c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; }
MODEL size_t common(const char *a, const char *b, int folds, int ends, size_t most) {
  for (size_t n = 0; n < most; n++)
    if (folded(at(a, n), folds) != folded(at(b, n), folds) || (ends && !at(a, n))) return n + 1;
  return most;
}
MODEL int is_one_of(unsigned c, const char *set) {
  for (size_t n = 0; at(set, n); n++)
    if (at(set, n) == c) return 1;
  return 0;
}
MODEL size_t span(const char *text, const char *set, int wanted) {
  for (size_t n = 0;; n++)
    if (!at(text, n) || is_one_of(at(text, n), set) != wanted) return n + 1;
}
// Up to the end of the first `wanted` among so many characters; without one, `missing`.
MODEL size_t search(const char *text, size_t size, const char *wanted, size_t count, int folds, size_t missing) {
  for (size_t from = 0; from + count <= size; from++) {
    size_t same = 0;
    while (same < count && folded(at(text, from + same), folds) == folded(at(wanted, same), folds)) same++;
    if (same == count) return from + count;
  }
  return missing;
}

MODEL void put(char *text, size_t i, unsigned c) {
  if (is_wide)
    ((unsigned *)text)[i] = c;
  else
    text[i] = (char)c;
}

// A string of at most `most` characters, whose end is the end of the page half of the times.
MODEL char *make(int page, size_t most, const char *letters) {
  size_t count = below(most + 1), room = bytes(count + 1), gap = below(2) ? 0 : bytes(below(40));
  char *text = PAGE(page + 1) - room - gap;
  for (size_t i = 0; i < count; i++) put(text, i, (unsigned char)letters[below(strlen(letters))]);
  put(text, count, 0);
  return text;
}

MODEL size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

// What a function of each kind does with strings a and b, a character, a number, and room at d.
enum kind {
  LEN,
  NLEN,
  CPY,
  NCPY,
  CAT,
  NCAT,
  CMP,
  NCMP,
  CASECMP,
  NCASECMP,
  MEMCMP,
  CHR,
  RCHR,
  MEMCHR,
  SPN,
  CSPN,
  STR,
  MEMCPY,
  MEMSET,
  DUP,
  NDUP,
  KINDS_OF_BOTH,
  RAWCHR = KINDS_OF_BOTH,
  MEMRCHR,
  CASESTR,
  MEMMEM,
  SWAB,
  TOK,
  TOK_R,
  SEP,
  KINDS
};

MODEL void expect_call(enum kind kind, char *a, char *b, unsigned c, size_t n, char *d) {
  const size_t none = -1, all = length(a, none), other = length(b, none);
  size_t seen = all;
  switch (kind) {
    case LEN:
    case RCHR:
    case DUP: expect('r', a, bytes(all)); break;
    case NLEN:
    case NDUP: expect('r', a, bytes(length(a, n))); break;
    case CPY: expect_copy(d, a, bytes(all)); break;
    case NCPY:
      seen = length(a, n);
      expect_copy(d, a, bytes(seen));
      expect('w', d + bytes(seen), bytes(n - seen));
      break;
    case CAT: // d is as a
      expect('r', d, bytes(all));
      expect('r', b, bytes(other));
      expect('w', d + bytes(all - 1), bytes(other));
      break;
    case NCAT:
      expect('r', d, bytes(all));
      expect('r', b, bytes(length(b, n)));
      expect('w', d + bytes(all - 1), bytes(length(b, n + 1)));
      break;
    case CMP:
    case NCMP:
    case CASECMP:
    case NCASECMP:
    case MEMCMP:
      seen =
          common(a, b, kind == CASECMP || kind == NCASECMP, kind != MEMCMP, kind == CMP || kind == CASECMP ? none : n);
      expect('r', a, bytes(seen));
      expect('r', b, bytes(seen));
      break;
    case CHR: expect('r', a, bytes(until(a, c, 1, none))); break;
    case MEMCHR: expect('r', a, bytes(until(a, c, 0, n))); break;
    case RAWCHR: expect('r', a, until(a, c, 0, none)); break;
    case SPN:
    case CSPN:
      expect('r', b, bytes(other));
      expect('r', a, bytes(span(a, b, kind == SPN)));
      break;
    case STR:
    case CASESTR:
      expect('r', b, bytes(other));
      expect('r', a, bytes(search(a, all - 1, b, other - 1, kind == CASESTR, all)));
      break;
    case MEMMEM:
      if (other > n) break;
      expect('r', b, other);
      expect('r', a, search(a, n, b, other, 0, n));
      break;
    case MEMRCHR:
      for (seen = n; seen > 0 && at(a, seen - 1) != c;) seen--;
      seen = seen ? seen - 1 : 0;
      expect('r', a + seen, n - seen);
      break;
    case MEMCPY: expect_copy(d, a, bytes(n)); break;
    case SWAB: expect_copy(d, a, n & ~1ul); break;
    case MEMSET: expect('w', d, bytes(n)); break;
    default: break;
  }
}

static volatile size_t result;
static void keep(const void *pointer) { result += (size_t)pointer; }

MODEL size_t other_length(const char *b) { return length(b, -1); }
MODEL void expect_copied(const char *copy) { expect('w', copy, bytes(length(copy, -1))); }

// The functions whose names differ only in how they begin.
#define CALL_BOTH(P)                                                                                                   \
  case LEN: result += P##len(a); break;                                                                                \
  case NLEN: result += P##nlen(a, n); break;                                                                           \
  case NCPY: keep(P##ncpy(d, a, n)); break;                                                                            \
  case CAT: keep(P##cat(d, b)); break;                                                                                 \
  case NCAT: keep(P##ncat(d, b, n)); break;                                                                            \
  case CMP: result += (size_t)P##cmp(a, b); break;                                                                     \
  case NCMP: result += (size_t)P##ncmp(a, b, n); break;                                                                \
  case CASECMP: result += (size_t)P##casecmp(a, b); break;                                                             \
  case NCASECMP: result += (size_t)P##ncasecmp(a, b, n); break;                                                        \
  case CHR: keep(n & 1 ? P##chr(a, c) : P##chrnul(a, c)); break;                                                       \
  case RCHR: keep(P##rchr(a, c)); break;                                                                               \
  case SPN: result += P##spn(a, b); break;                                                                             \
  case CSPN: n & 1 ? (void)(result += P##cspn(a, b)) : keep(P##pbrk(a, b)); break;                                     \
  case STR: keep(P##str(a, b)); break;                                                                                 \
  case DUP: expect_copied((char *)P##dup(a)); break;

__attribute__((noinline)) static void call_narrow(enum kind kind, char *a, char *b, int c, size_t n, char *d) {
  switch (kind) {
    CALL_BOTH(str)
    case CPY: keep(n & 1 ? strcpy(d, a) : stpcpy(d, a)); break;
    case MEMCMP: result += (size_t)memcmp(a, b, n); break;
    case MEMCHR: keep(memchr(a, c, n)); break;
    case MEMCPY: keep(n % 3 ? n % 3 > 1 ? memcpy(d, a, n) : memmove(d, a, n) : mempcpy(d, a, n)); break;
    case MEMSET: keep(memset(d, c, n)); break;
    case NDUP: expect_copied(strndup(a, n)); break;
    case RAWCHR: keep(rawmemchr(a, c)); break;
    case MEMRCHR: keep(memrchr(a, c, n)); break;
    case CASESTR: keep(strcasestr(a, b)); break;
    case MEMMEM: keep(memmem(a, n, b, other_length(b))); break;
    case SWAB: swab(a, d, (ssize_t)n); break;
    default: break;
  }
}

__attribute__((noinline)) static void call_wide(enum kind kind, wchar_t *a, wchar_t *b, wchar_t c, size_t n,
                                                wchar_t *d) {
  switch (kind) {
    CALL_BOTH(wcs)
    case CPY: keep(n & 1 ? wcscpy(d, a) : wcpcpy(d, a)); break;
    case MEMCMP: result += (size_t)wmemcmp(a, b, n); break;
    case MEMCHR: keep(wmemchr(a, c, n)); break;
    case MEMCPY: keep(n % 3 ? n % 3 > 1 ? wmemcpy(d, a, n) : wmemmove(d, a, n) : wmempcpy(d, a, n)); break;
    case MEMSET: keep(wmemset(d, c, n)); break;
    default: break;
  }
}

// What strtok, strtok_r, wcstok and strsep do with the text at `tokens`.
MODEL void expect_token(const char *set, char *rest, int is_given, int is_separated) {
  if (rest && (is_separated || !is_given)) expect_whole('r', rest);
  if (!tokens) return; // behind the last of strsep and wcstok
  expect('r', set, bytes(length(set, -1)));
  size_t skipped = is_separated ? 0 : span(tokens, set, 1) - 1;
  size_t seen = skipped + span(tokens + bytes(skipped), set, 0);
  char *last = tokens + bytes(seen - 1);
  int is_cut = at(last, 0) != 0;
  expect('r', tokens, bytes(seen));
  if (is_cut) expect('w', last, bytes(1));
  if (rest) expect_whole('w', rest);
  tokens = is_cut ? last + bytes(1) : is_separated || is_wide ? NULL : last;
}

// Takes all of the text apart.
__attribute__((noinline)) static void call_tokens(enum kind kind, char *a, const char *set, char **rest) {
  int is_given = 1, more = 1;
  for (tokens = a; more; is_given = 0) {
    expect_token(set, kind == TOK ? NULL : (char *)rest, is_given, kind == SEP);
    char *text = is_given ? a : NULL;
    if (kind == SEP)
      more = strsep(rest, set) != NULL;
    else if (kind == TOK)
      more = strtok(text, set) != NULL;
    else if (is_wide)
      more = wcstok((wchar_t *)text, (const wchar_t *)set, (wchar_t **)rest) != NULL;
    else
      more = strtok_r(text, set, rest) != NULL;
  }
}

struct trial {
  enum kind kind;
  char *a, *b, *d;
  int c;
  size_t n;
};

MODEL struct trial make_trial(void) {
  is_wide = below(2);
  struct trial t = {below(KINDS), make(0, 100, "abAB,"), make(2, below(2) ? 3 : 100, "abAB,"), 0, 0, 0};
  if (is_wide && t.kind != TOK_R) t.kind = below(KINDS_OF_BOTH - 1); // without wcsndup
  size_t all = length(t.a, -1), other = length(t.b, -1);
  t.d = PAGE(4) + bytes(below(80));
  t.n = below(120);
  t.c = (unsigned char)"abz"[below(3)];
  size_t room = t.kind == MEMCMP ? smaller(all, other) : all;
  int has_end = t.kind == MEMCMP || t.kind == MEMCHR || t.kind == MEMRCHR || t.kind == MEMMEM || t.kind == MEMCPY ||
                t.kind == SWAB;
  if (has_end) t.n = smaller(t.n, room);
  if (t.kind == RAWCHR) t.c = at(t.a, below(all));
  for (size_t i = 0; i < all && (t.kind == CAT || t.kind == NCAT); i++) put(t.d, i, at(t.a, i));
  if (t.kind == SEP) *(char **)PAGE(5) = t.a;
  expect_call(t.kind, t.a, t.b, (unsigned)t.c, t.n, t.d);
  return t;
}

__attribute__((noinline)) static void run(const struct trial *t) {
  if (t->kind >= TOK)
    call_tokens(t->kind, t->a, t->b, (char **)PAGE(5));
  else if (is_wide)
    call_wide(t->kind, (wchar_t *)t->a, (wchar_t *)t->b, t->c, t->n, (wchar_t *)t->d);
  else
    call_narrow(t->kind, t->a, t->b, t->c, t->n, t->d);
}

int main(int count, char **words) {
  state = strtoull(words[1], NULL, 10);
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
  mmap(PAGE(0), 6 * 4096, PROT_READ | PROT_WRITE, flags, -1, 0);
  mprotect(PAGE(1), 4096, PROT_NONE);
  mprotect(PAGE(3), 4096, PROT_NONE);
  for (long left = count > 2 ? atol(words[2]) : 100; left > 0; left--) {
    struct trial t = make_trial();
    run(&t);
  }
  return 0;
}

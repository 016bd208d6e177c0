#define _GNU_SOURCE
#include "CallCounter.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdatomic.h>
#include <string.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern int __pthread_mutex_lock(pthread_mutex_t *);

static atomic_uint_fast64_t allocations, retains, locks;
static atomic_int counting;
static __thread int is_media;
static __thread int checks;

static int watched(void) {
    if (!counting) return 0;
    // A thread gets its name after its first allocations: look a few times before giving up on it.
    if (!is_media && checks < 4096) {
        char name[16] = "";
        checks++;
        pthread_getname_np(pthread_self(), name, sizeof name);
        is_media = !strncmp(name, "media-", 6);
    }
    return is_media;
}

void *malloc(size_t n) {
    if (watched()) allocations++;
    return __libc_malloc(n);
}
void *calloc(size_t n, size_t m) {
    if (watched()) allocations++;
    return __libc_calloc(n, m);
}
void *realloc(void *p, size_t n) {
    if (watched()) allocations++;
    return __libc_realloc(p, n);
}
int posix_memalign(void **out, size_t a, size_t n) {
    if (watched()) allocations++;
    return (*out = __libc_memalign(a, n)) ? 0 : 12;
}
void *aligned_alloc(size_t a, size_t n) {
    if (watched()) allocations++;
    return __libc_memalign(a, n);
}

// Replaces the runtime's function. It preserves the registers that the compiler assumes swift_retain to preserve.
typedef void *(*retain_function)(void *);
__attribute__((preserve_most)) void *swift_retain(void *object) {
    static retain_function real;
    if (!real) real = (retain_function)dlsym(RTLD_NEXT, "swift_retain");
    if (watched()) retains++;
    return real(object);
}

typedef int (*lock_function)(pthread_mutex_t *);
int pthread_mutex_lock(pthread_mutex_t *m) {
    static lock_function real;
    if (!real) real = (lock_function)dlsym(RTLD_NEXT, "pthread_mutex_lock");
    if (watched()) locks++;
    return real(m);
}

void call_counter_start(void) { counting = 1; }
call_counts call_counter_read(void) { return (call_counts){allocations, retains, locks}; }

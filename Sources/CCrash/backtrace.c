// Stack of the crash: by frame pointers, which Swift and the C of this package keep, and by unwind tables for frames of libraries.
#define _GNU_SOURCE
#include "internal.h"
#include <execinfo.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

// Reads two words of this process; 0 when they cannot be read, instead of another crash.
static int read_words(uint64_t address, uint64_t out[2]) {
    struct iovec local = {out, 16}, remote = {(void *)(uintptr_t)address, 16};
    return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == 16;
}

static void registers(const void *context, uint64_t *pc, uint64_t *frame, uint64_t *stack, uint64_t *link) {
    const ucontext_t *c = context;
    *link = 0;
#if defined(__x86_64__)
    *pc = (uint64_t)c->uc_mcontext.gregs[REG_RIP];
    *frame = (uint64_t)c->uc_mcontext.gregs[REG_RBP];
    *stack = (uint64_t)c->uc_mcontext.gregs[REG_RSP];
#elif defined(__aarch64__)
    *pc = c->uc_mcontext.pc;
    *frame = c->uc_mcontext.regs[29];
    *stack = c->uc_mcontext.sp;
    *link = c->uc_mcontext.regs[30];
#else
    *pc = *frame = *stack = 0;
#endif
}

size_t crash_walk(const void *context, uint64_t *out, size_t capacity) {
    uint64_t pc, frame, stack, link, words[2];
    registers(context, &pc, &frame, &stack, &link);
    size_t count = 0;
    out[count++] = pc;
    // After a call of address 0 the caller is on top of the stack, or in the link register.
    if (pc < 4096) {
        if (link) {
            out[count++] = link;
        } else if (read_words(stack, words)) {
            out[count++] = words[0];
        }
    }
    while (count < capacity && frame % 8 == 0 && read_words(frame, words) && words[1] >= 4096) {
        out[count++] = words[1];
        // Swift sets a bit of the saved frame pointer in frames of async functions.
        uint64_t caller = words[0] & ~(1ull << 60);
        if (caller <= frame) break;
        frame = caller;
    }
    return count;
}

void crash_unwinder_prepare(void) {
    void *frames[4];
    backtrace(frames, 4);
}

size_t crash_unwind(const void *context, uint64_t *out, size_t capacity) {
    uint64_t pc, frame, stack, link;
    registers(context, &pc, &frame, &stack, &link);
    void *frames[CRASH_FRAMES + 8];
    int found = backtrace(frames, CRASH_FRAMES + 8);
    int first = 0;
    // The frames of the handler come before the instruction that was interrupted.
    while (first < found && (uint64_t)(uintptr_t)frames[first] != pc) first++;
    if (first == found) return 0;
    size_t count = 0;
    for (; first < found && count < capacity; first++) out[count++] = (uint64_t)(uintptr_t)frames[first];
    return count;
}

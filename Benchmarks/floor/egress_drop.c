// egress_drop DEVICE FIRST_PORT LAST_PORT rtp|all
// Drops RTP that the stack hands to DEVICE (an Ethernet device or lo, in this network namespace) for these UDP ports over IPv4, and counts it.
// STUN, DTLS and RTCP pass ("rtp"), so that connections stay alive; "all" drops them too, without counting them. A packet that the kernel has
// yet to segment (GSO) counts as its segments. Each line of input is answered by a line {"packets":N,"sends":N,"bytes":N}; the filter
// goes away with the process, at the end of input. Needs CAP_NET_ADMIN and CAP_BPF of the machine: a user namespace is not enough.
#define _GNU_SOURCE
#include <errno.h>
#include <linux/bpf.h>
#include <net/if.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#define I(op, d, s, o, i) ((struct bpf_insn){.code = op, .dst_reg = d, .src_reg = s, .off = o, .imm = i})
#define TCX_EGRESS 47                                            // BPF_TCX_EGRESS (Linux 6.6), which older headers lack
enum { NEXT = -1, DROP = 2 };

static int bpf(int command, union bpf_attr *at) { return syscall(SYS_bpf, command, at, sizeof *at); }
static void fail(const char *what) {
  fprintf(stderr, "egress_drop: %s: %s%s\n", what, strerror(errno),
          errno == EPERM || errno == EACCES ? " (needs root, not that of a user namespace)" : errno == EINVAL ? " (needs Linux 6.6)" : "");
  exit(1);
}

int main(int c, char **v) {
  if (c != 5 || (strcmp(v[4], "rtp") && strcmp(v[4], "all"))) { fprintf(stderr, "egress_drop DEVICE FIRST_PORT LAST_PORT rtp|all\n"); return 2; }
  int device = if_nametoindex(v[1]), first = atoi(v[2]), last = atoi(v[3]), other = strcmp(v[4], "all") ? NEXT : DROP;
  if (!device) fail(v[1]);
  if (first < 1 || last < first || last > 65534) { fprintf(stderr, "egress_drop: ports\n"); return 2; }
  union bpf_attr at;
  memset(&at, 0, sizeof at);
  at.map_type = BPF_MAP_TYPE_ARRAY; at.key_size = 4; at.value_size = 24; at.max_entries = 1;
  int map = bpf(BPF_MAP_CREATE, &at);
  if (map < 0) fail("bpf map");

  struct bpf_insn p[64]; int n = 0, pass[16], passes = 0, others[4], k = 0;
#define EMIT(...) (p[n++] = I(__VA_ARGS__))
#define PASS_IF(op, value) (pass[passes++] = n, EMIT(BPF_JMP | op | BPF_K, 0, 0, 0, value))
#define OTHER_IF(op, value) (others[k++] = n, EMIT(BPF_JMP | op | BPF_K, 0, 0, 0, value))
  EMIT(BPF_ALU64 | BPF_MOV | BPF_X, 6, 1, 0, 0);
  EMIT(BPF_LD | BPF_ABS | BPF_H, 0, 0, 0, 12); PASS_IF(BPF_JNE, 0x0800);
  EMIT(BPF_LD | BPF_ABS | BPF_B, 0, 0, 0, 14); PASS_IF(BPF_JNE, 0x45);     // no options
  EMIT(BPF_LD | BPF_ABS | BPF_B, 0, 0, 0, 23); PASS_IF(BPF_JNE, 17);
  EMIT(BPF_LD | BPF_ABS | BPF_H, 0, 0, 0, 36); PASS_IF(BPF_JLT, first); PASS_IF(BPF_JGT, last);
  EMIT(BPF_LD | BPF_ABS | BPF_B, 0, 0, 0, 42);
  EMIT(BPF_ALU64 | BPF_AND | BPF_K, 0, 0, 0, 0xc0); OTHER_IF(BPF_JNE, 0x80);   // RTP and RTCP begin with version 2
  EMIT(BPF_LD | BPF_ABS | BPF_B, 0, 0, 0, 43);
  EMIT(BPF_JMP | BPF_JLT | BPF_K, 0, 0, 1, 192);
  OTHER_IF(BPF_JLE, 223);                                                  // RTCP (RFC 5761 section 4)
  // The only value of the map: packets, sends, bytes.
  EMIT(BPF_ST | BPF_MEM | BPF_W, 10, 0, -4, 0);
  EMIT(BPF_ALU64 | BPF_MOV | BPF_X, 2, 10, 0, 0); EMIT(BPF_ALU64 | BPF_ADD | BPF_K, 2, 0, 0, -4);
  EMIT(BPF_LD | BPF_DW | BPF_IMM, 1, BPF_PSEUDO_MAP_FD, 0, map); EMIT(0, 0, 0, 0, 0);
  EMIT(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_map_lookup_elem);
  PASS_IF(BPF_JEQ, 0);
  EMIT(BPF_LDX | BPF_MEM | BPF_W, 1, 6, offsetof(struct __sk_buff, gso_segs), 0);
  EMIT(BPF_JMP | BPF_JNE | BPF_K, 1, 0, 1, 0); EMIT(BPF_ALU64 | BPF_MOV | BPF_K, 1, 0, 0, 1);
  EMIT(BPF_STX | BPF_ATOMIC | BPF_DW, 0, 1, 0, BPF_ADD);
  EMIT(BPF_ALU64 | BPF_MOV | BPF_K, 1, 0, 0, 1); EMIT(BPF_STX | BPF_ATOMIC | BPF_DW, 0, 1, 8, BPF_ADD);
  EMIT(BPF_LDX | BPF_MEM | BPF_W, 1, 6, offsetof(struct __sk_buff, len), 0); EMIT(BPF_STX | BPF_ATOMIC | BPF_DW, 0, 1, 16, BPF_ADD);
  EMIT(BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, DROP); EMIT(BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
  for (int i = 0; i < k; i++) p[others[i]].off = n - others[i] - 1;
  EMIT(BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, other); EMIT(BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
  for (int i = 0; i < passes; i++) p[pass[i]].off = n - pass[i] - 1;
  EMIT(BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, NEXT); EMIT(BPF_JMP | BPF_EXIT, 0, 0, 0, 0);

  static char log[8192];
  memset(&at, 0, sizeof at);
  at.prog_type = BPF_PROG_TYPE_SCHED_CLS; at.insns = (uint64_t)p; at.insn_cnt = n; at.license = (uint64_t) "GPL";
  at.log_buf = (uint64_t)log; at.log_size = sizeof log; at.log_level = 1; at.expected_attach_type = TCX_EGRESS;
  int program = bpf(BPF_PROG_LOAD, &at);
  if (program < 0) { int e = errno; fputs(log, stderr); errno = e; fail("bpf program"); }
  memset(&at, 0, sizeof at);
  at.link_create.prog_fd = program; at.link_create.target_ifindex = device; at.link_create.attach_type = TCX_EGRESS;
  if (bpf(BPF_LINK_CREATE, &at) < 0) fail("filter at the device");   // the descriptor stays open until the end: then the filter goes away

  char line[256];
  for (printf("ready\n"); fflush(stdout), fgets(line, sizeof line, stdin);) {
    uint64_t value[3]; uint32_t key = 0;
    memset(&at, 0, sizeof at); at.map_fd = map; at.key = (uint64_t)&key; at.value = (uint64_t)value;
    if (bpf(BPF_MAP_LOOKUP_ELEM, &at) < 0) fail("counters");
    printf("{\"packets\":%lu,\"sends\":%lu,\"bytes\":%lu}\n", value[0], value[1], value[2]);
  }
}

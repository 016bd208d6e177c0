// Clients of tools/bench joins: each opens a WebSocket at its time, sends a join, and reads until the end of the run. One thread, epoll.
//
//   joins PORT RATE SECONDS MARK... < REQUESTS
//
// REQUESTS: for each client the handshake and the join frame, each behind its length (32 bits, little-endian). RATE: joins per second.
// SECONDS: time limit. MARK: numbers of joins after which a line `mark JOINS ANSWER_BYTES` is written, for which the caller reads the CPU
// time of the relay. At the end: `seconds S CPU_SECONDS`, `events N` (reads after the join) and `latencies US...`, from the time at which a join was due to its whole answer.
#define _GNU_SOURCE  // memmem
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { SPACE = 1 << 18, EVENTS = 512, KEPT = 1 << 17 };
enum state { WAITING, CONNECTING, UPGRADING, JOINING, JOINED };

struct client {
  const uint8_t *handshake, *join;
  uint32_t handshake_size, join_size;
  enum state state;
  int file;
  uint64_t due, latency;
  uint8_t *data;
  size_t size;
};

static void fail(const char *text, const struct client *client) {
  fprintf(stderr, "%s: %.*s\n", text, client ? (int)client->size : 0, client && client->data ? (const char *)client->data : "");
  exit(1);
}

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static uint8_t *read_all(size_t *size) {
  size_t space = 1 << 20;
  uint8_t *bytes = malloc(space);
  ssize_t count;
  *size = 0;
  while (bytes && (count = read(0, bytes + *size, space - *size)) > 0) {
    *size += (size_t)count;
    if (*size == space) bytes = realloc(bytes, space *= 2);
  }
  if (!bytes) fail("no memory", NULL);
  return bytes;
}

// Reads one length and the bytes behind it.
static const uint8_t *field(const uint8_t **at, const uint8_t *end, uint32_t *size) {
  if (end - *at < 4) fail("the requests are cut", NULL);
  memcpy(size, *at, 4);
  const uint8_t *bytes = *at + 4;
  if ((size_t)(end - bytes) < *size) fail("the requests are cut", NULL);
  *at = bytes + *size;
  return bytes;
}

static void start(struct client *client, int poll, const struct sockaddr_in *relay) {
  int one = 1;
  client->file = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  if (client->file < 0) fail(strerror(errno), NULL);
  setsockopt(client->file, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  if (connect(client->file, (const struct sockaddr *)relay, sizeof *relay) < 0 && errno != EINPROGRESS) fail(strerror(errno), NULL);
  client->state = CONNECTING;
  struct epoll_event event = {.events = EPOLLOUT, .data.ptr = client};
  epoll_ctl(poll, EPOLL_CTL_ADD, client->file, &event);
}

static void put(struct client *client, const uint8_t *bytes, size_t size) {
  // A new connection has space for some hundred bytes.
  if (send(client->file, bytes, size, MSG_NOSIGNAL) != (ssize_t)size) fail("a request could not be sent", client);
}

// Returns the size of the first WebSocket message's text if it is complete, 0 otherwise (RFC 6455 section 5.2).
static size_t answer(const struct client *client, const uint8_t **text) {
  const uint8_t *data = client->data;
  if (client->size < 2) return 0;
  size_t size = data[1] & 127, start = 2;
  if (size == 126) {
    if (client->size < 4) return 0;
    size = (size_t)data[2] << 8 | data[3];
    start = 4;
  } else if (size == 127) {
    fail("an answer has 64 KiB or more", client);
  }
  *text = data + start;
  return client->size >= start + size ? size : 0;
}

// Handles an event of a client. Returns the size of its answer when it has joined, 0 otherwise.
static size_t ready(struct client *client, int poll, uint64_t *events) {
  static uint8_t space[SPACE];
  if (client->state == CONNECTING) {
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = client};
    put(client, client->handshake, client->handshake_size);
    client->state = UPGRADING;
    client->data = malloc(KEPT);
    epoll_ctl(poll, EPOLL_CTL_MOD, client->file, &event);
    return 0;
  }
  ssize_t count = recv(client->file, space, sizeof space, 0);
  if (count < 0 && errno == EAGAIN) return 0;
  if (count <= 0) fail("the relay closed a connection", client);
  if (client->state == JOINED) {
    *events += 1;
    return 0;
  }
  if (client->size + (size_t)count > KEPT) fail("an answer is too large", client);
  memcpy(client->data + client->size, space, (size_t)count);
  client->size += (size_t)count;
  if (client->state == UPGRADING) {
    const uint8_t *end = memmem(client->data, client->size, "\r\n\r\n", 4);
    if (!end) return 0;
    if (memcmp(client->data, "HTTP/1.1 101", 12)) fail("the relay refused a handshake", client);
    client->size -= (size_t)(end + 4 - client->data);
    memmove(client->data, end + 4, client->size);
    put(client, client->join, client->join_size);
    client->state = JOINING;
  }
  const uint8_t *text = NULL;
  size_t size = answer(client, &text);
  if (!size) return 0;
  if (!memmem(text, size < 40 ? size : 40, "\"result\"", 8) && memmem(text, size, "\"error\"", 7)) fail("a join was refused", client);
  client->latency = now() - client->due;
  client->state = JOINED;
  free(client->data);
  client->data = NULL;
  client->size = 0;
  return size;
}

int main(int count, char **arguments) {
  if (count < 4) fail("usage: joins PORT RATE SECONDS MARK... < REQUESTS", NULL);
  struct sockaddr_in relay = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(arguments[1])), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  double rate = atof(arguments[2]), limit = atof(arguments[3]);
  size_t size, clients = 0, started = 0, joined = 0;
  uint8_t *bytes = read_all(&size);
  const uint8_t *at = bytes, *end = bytes + size;
  struct client *all = NULL;
  for (; at < end; clients++) {
    if (clients % 1024 == 0) all = realloc(all, (clients + 1024) * sizeof *all);
    if (!all) fail("no memory", NULL);
    struct client *client = &all[clients];
    *client = (struct client){.file = -1};
    client->handshake = field(&at, end, &client->handshake_size);
    client->join = field(&at, end, &client->join_size);
  }
  int poll = epoll_create1(0), mark = 4;
  uint64_t began = now(), events = 0;
  for (size_t i = 0; i < clients; i++) all[i].due = began + (uint64_t)((double)i / rate * 1e9);
  while (joined < clients) {
    uint64_t time = now();
    if ((double)(time - began) > limit * 1e9) fail("the time limit is over", NULL);
    while (started < clients && all[started].due <= time) start(&all[started++], poll, &relay);
    int pause = 100;
    // One millisecond late at most.
    if (started < clients) pause = (int)((all[started].due - time) / 1000000u) + 1;
    struct epoll_event list[EVENTS];
    int found = epoll_wait(poll, list, EVENTS, pause);
    for (int i = 0; i < found; i++) {
      size_t answered = ready(list[i].data.ptr, poll, &events);
      if (!answered) continue;
      joined++;
      if (mark < count && joined == strtoul(arguments[mark], NULL, 10)) {
        mark++;
        printf("mark %zu %zu\n", joined, answered);
        fflush(stdout);
      }
    }
  }
  printf("seconds %.6f %.6f\nevents %lu\nlatencies", (double)(now() - began) / 1e9, (double)clock() / CLOCKS_PER_SEC, (unsigned long)events);
  for (size_t i = 0; i < clients; i++) printf(" %lu", (unsigned long)(all[i].latency / 1000));
  printf("\n");
  return 0;
}

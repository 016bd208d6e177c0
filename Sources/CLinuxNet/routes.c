#define _GNU_SOURCE
#include "CLinuxNet.h"
#include <errno.h>
#include <ifaddrs.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct route_request {
    struct nlmsghdr header;
    struct rtmsg route;
    uint8_t attributes[2 * RTA_SPACE(sizeof(struct in6_addr))];
};

static void put(struct route_request *r, int type, const void *data, size_t size) {
    struct rtattr *a = (struct rtattr *)((uint8_t *)r + NLMSG_ALIGN(r->header.nlmsg_len));
    a->rta_type = type;
    a->rta_len = RTA_LENGTH(size);
    memcpy(RTA_DATA(a), data, size);
    r->header.nlmsg_len = NLMSG_ALIGN(r->header.nlmsg_len) + RTA_SPACE(size);
}

// Asks the kernel for one route. Returns the interface or a negative errno. Does not wait, since the answer is available when `send`
// returns.
static int ask_route(const struct route_request *request) {
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    if (fd < 0) return -errno;
    _Alignas(struct nlmsghdr) uint8_t answer[4096];
    ssize_t n = send(fd, request, request->header.nlmsg_len, MSG_DONTWAIT);
    if (n >= 0) n = recv(fd, answer, sizeof answer, MSG_DONTWAIT);
    int result = n < 0 ? -errno : -ENODATA;
    close(fd);
    const struct nlmsghdr *h = (const struct nlmsghdr *)answer;
    if (n < 0 || !NLMSG_OK(h, (size_t)n)) return result;
    if (h->nlmsg_type == NLMSG_ERROR) {
        int error = ((const struct nlmsgerr *)NLMSG_DATA(h))->error;
        return error < 0 ? error : result;
    }
    if (h->nlmsg_type != RTM_NEWROUTE) return result;
    int left = RTM_PAYLOAD(h);
    for (const struct rtattr *a = RTM_RTA(NLMSG_DATA(h)); RTA_OK(a, left); a = RTA_NEXT(a, left))
        if (a->rta_type == RTA_OIF && RTA_PAYLOAD(a) >= sizeof result) memcpy(&result, RTA_DATA(a), sizeof result);
    return result;
}

int millrace_route_interface(const millrace_address *to, uint32_t local) {
    struct route_request request = {
        .header = {.nlmsg_len = NLMSG_LENGTH(sizeof(struct rtmsg)), .nlmsg_type = RTM_GETROUTE, .nlmsg_flags = NLM_F_REQUEST}};
    struct sockaddr_in6 in6;
    struct sockaddr_in in;
    const void *destination = &in.sin_addr;
    size_t size = sizeof in.sin_addr;
    memcpy(&in, to->bytes, sizeof in);
    memcpy(&in6, to->bytes, sizeof in6);
    request.route.rtm_family = AF_INET;
    if (in.sin_family == AF_INET6) {
        if (in6.sin6_scope_id) return in6.sin6_scope_id;
        if (IN6_IS_ADDR_V4MAPPED(&in6.sin6_addr)) {
            destination = &in6.sin6_addr.s6_addr[12];
        } else {
            destination = &in6.sin6_addr;
            size = sizeof in6.sin6_addr;
            request.route.rtm_family = AF_INET6;
        }
    } else if (in.sin_family != AF_INET) {
        return -EAFNOSUPPORT;
    }
    put(&request, RTA_DST, destination, size);
    request.route.rtm_dst_len = size * 8;
    struct in6_addr source;
    if (millrace_local_address(local, in.sin_family, &source) && (in.sin_family == AF_INET || size == sizeof source)) {
        put(&request, RTA_SRC, &source, size);
        request.route.rtm_src_len = size * 8;
    }
    return ask_route(&request);
}

int millrace_interface_addresses(millrace_interface_address *out, int capacity) {
    struct ifaddrs *list;
    if (getifaddrs(&list)) return -errno;
    int n = 0;
    for (const struct ifaddrs *i = list; i && n < capacity; i = i->ifa_next) {
        if (!i->ifa_addr || !(i->ifa_flags & IFF_UP)) continue;
        int family = i->ifa_addr->sa_family;
        if (family != AF_INET && family != AF_INET6) continue;
        millrace_interface_address *a = &out[n++];
        memset(a, 0, sizeof *a);
        a->address.length = family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);
        memcpy(a->address.bytes, i->ifa_addr, a->address.length);
        a->interface = if_nametoindex(i->ifa_name);
        a->loopback = (i->ifa_flags & IFF_LOOPBACK) != 0;
    }
    freeifaddrs(list);
    return n;
}

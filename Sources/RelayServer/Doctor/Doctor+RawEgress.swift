import CLinuxNet
import MediaBase

extension Doctor {
    /// Checks whether media may leave as complete frames, and whether this host has rules that they would bypass.
    func rawEgress() -> DoctorFinding {
        guard configuration.mediaRawEgress == .automatic else {
            return DoctorFinding("raw egress", .ok, "off: all packets pass the firewall of this host")
        }
        var error: Int32 = 0
        let frames = millrace_ring_open(0, &error)
        millrace_ring_free(frames)
        let tracked = Self.kernelFile("/proc/sys/net/netfilter/nf_conntrack_count").flatMap(Int.init) ?? 0
        return rawEgress(error: frames == nil ? error : nil, trackedConnections: tracked)
    }

    /// - Parameters:
    ///   - error: errno of the attempt to open a packet socket; nil: it succeeded.
    ///   - trackedConnections: connections that the host's firewall or address translation follows.
    func rawEgress(error: Int32?, trackedConnections: Int) -> DoctorFinding {
        let check = "raw egress"
        if SocketAddress(configuration.mediaAddress, port: 0)?.isIPv6 == true {
            return DoctorFinding(
                check, .warn, "not used: media.address is IPv6",
                advice: "set media.address to an IPv4 address, or media.rawEgress to off")
        }
        if let error {
            return DoctorFinding(
                check, .warn, "not used: no packet socket can be opened: \(errorText(error))",
                advice: "give the process CAP_NET_RAW and AF_PACKET (docs/deploy.md), or set media.rawEgress to off")
        }
        if trackedConnections > 0 {
            return DoctorFinding(
                check, .warn,
                "available; this host tracks \(trackedConnections) connections, and frames bypass its rules",
                advice: "set media.rawEgress to off if a rule filters, translates or shapes outgoing media")
        }
        return DoctorFinding(check, .ok, "available; frames bypass the firewall and queueing disciplines of this host")
    }
}

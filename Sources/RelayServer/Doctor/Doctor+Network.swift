import CLinuxNet
import MediaBase

extension Doctor {
    /// Checks kernel offloads, socket buffers and advertised addresses.
    func network() -> [DoctorFinding] {
        [
            offload("udp gso", millrace_has_gso() != 0, "sending"),
            offload("udp gro", millrace_has_gro() != 0, "receiving"),
            rawEgress(),
        ]
            + buffers() + advertised(configuration.advertisedAddresses) + [ipv6(InterfaceAddress.all())]
    }

    /// Checks whether other hosts can reach the addresses in answers.
    func advertised(_ addresses: [String]) -> [DoctorFinding] {
        let bound = SocketAddress(configuration.mediaAddress, port: 0)
        // An operator that names private addresses has clients in that network.
        let mayBeBehindNAT =
            configuration.mediaAdvertised.isEmpty && !configuration.isHTTPOnLoopback
            && addresses.allSatisfy { SocketAddress($0, port: 0)?.isPrivate == true }
        return addresses.map { text in
            let check = "address \(text)"
            let address = SocketAddress(text, port: 0)
            if address?.isIPv6 == true, bound?.isIPv6 == false {
                return DoctorFinding(
                    check, .warn, "advertised to clients, but media.address is IPv4 only",
                    advice: "set media.address to :: for both")
            }
            let isLocal = text.hasPrefix("127.") || text == "::1"
            if isLocal, !configuration.isHTTPOnLoopback {
                return DoctorFinding(
                    check, .warn, "other hosts can reach HTTP, but cannot send media to this address",
                    advice: "set media.advertised to an address that clients can reach")
            }
            if mayBeBehindNAT, !isLocal {
                return DoctorFinding(
                    check, .warn, "advertised to clients, and private: clients in the internet cannot reach it",
                    advice:
                        "set media.advertised to the public address; to this address if all clients are in its network")
            }
            return DoctorFinding(check, .ok, "advertised to clients")
        }
    }

    /// Reports whether clients that have only IPv6 can reach the relay.
    func ipv6(_ interfaces: [InterfaceAddress]) -> DoctorFinding {
        let check = "ipv6"
        let isUsable = interfaces.contains { $0.address.isIPv6 && !$0.address.isPrivate }
        if SocketAddress(configuration.mediaAddress, port: 0)?.isIPv6 == true {
            return DoctorFinding(
                check, .ok, isUsable ? "used for media" : "media.address allows it; this host has no public one")
        }
        return DoctorFinding(
            check, .ok,
            isUsable ? "not used: media.address is IPv4 only; :: means both" : "this host has no public address")
    }

    private func offload(_ check: String, _ isThere: Bool, _ side: String) -> DoctorFinding {
        if configuration.mediaOffload == .off {
            return DoctorFinding(
                check, .ok, isThere ? "available, switched off by media.offload" : "not available, switched off")
        }
        if isThere { return DoctorFinding(check, .ok, "available") }
        return DoctorFinding(
            check, .warn, "not available",
            advice: "\(side) will cost several times the CPU; Linux 5.0 or later has it, some sandboxes do not")
    }

    /// Compares the socket buffers that the kernel grants with the configured sizes.
    private func buffers() -> [DoctorFinding] {
        var address = millrace_address()
        SocketAddress("127.0.0.1", port: 0)?.withKernelBytes { bytes in
            withUnsafeMutableBytes(of: &address.bytes) { $0.copyMemory(from: bytes) }
        }
        address.length = 16
        let socket = millrace_udp_open(
            &address, Int32(configuration.limitReceiveBufferBytes), Int32(configuration.limitSendBufferBytes), 0)
        guard socket >= 0 else {
            return [
                DoctorFinding(
                    "udp buffers", .fail, "no UDP socket can be opened: \(errorText(-socket))",
                    advice: "check the sandbox")
            ]
        }
        defer { millrace_close(socket) }
        var receive: Int32 = 0
        var send: Int32 = 0
        _ = millrace_udp_buffers(socket, &receive, &send)
        return [
            // The kernel reports twice the requested size; the other half is for its own use.
            granted("udp rcvbuf", Int(receive) / 2, asked: configuration.limitReceiveBufferBytes, "net.core.rmem_max"),
            granted("udp sndbuf", Int(send) / 2, asked: configuration.limitSendBufferBytes, "net.core.wmem_max"),
        ]
    }

    private func granted(_ check: String, _ bytes: Int, asked: Int, _ sysctl: String) -> DoctorFinding {
        let limit = Self.kernelFile("/proc/sys/" + sysctl.split(separator: ".").joined(separator: "/")) ?? "unknown"
        let text = "\(bytes >> 10) KiB granted of \(asked >> 10) KiB (\(sysctl) = \(limit))"
        if bytes >= asked { return DoctorFinding(check, .ok, text) }
        return DoctorFinding(
            check, .warn, text,
            advice: "sysctl -w \(sysctl)=\(asked), or give the process CAP_NET_ADMIN; otherwise bursts are lost")
    }
}

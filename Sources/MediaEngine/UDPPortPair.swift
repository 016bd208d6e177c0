internal import CLinuxNet
internal import Glibc
internal import MediaBase

/// The two sockets of one worker's plain transports: RTP on an even port, RTCP on the odd one after it (RFC 3550 section 11).
struct UDPPortPair {
    let rtp: Int32
    let rtcp: Int32
    let port: UInt16
    let rtcpPort: UInt16

    init(_ configuration: EngineConfiguration, worker: Int) throws(EngineError) {
        guard SocketAddress(configuration.bindAddress, port: 0) != nil else {
            throw .addressUnusable(address: configuration.bindAddress, reason: "not a numeric IPv4 or IPv6 address")
        }
        if configuration.plainPort != 0 {
            let wanted = Int(configuration.plainPort) + 2 * worker
            guard wanted % 2 == 0, wanted <= 65_534 else {
                throw .invalidRequest(field: "plainPort", reason: "must be even, with two ports a worker below 65536")
            }
            self = try Self(configuration, port: UInt16(wanted))
            return
        }
        // Any free pair: what the kernel picks is tried until it is even and its neighbour is free.
        var last = EngineError.systemCall(name: "bind", errno: EADDRINUSE)
        for _ in 0..<64 {
            let probe = try Self.open(configuration, port: 0, coalesces: false)
            var address = millrace_address()
            millrace_udp_local(probe, &address)
            millrace_close(probe)
            let port = withUnsafeBytes(of: address.bytes) {
                SocketAddress(kernelBytes: UnsafeRawBufferPointer(rebasing: $0[0..<Int(address.length)]))?.port ?? 0
            }
            guard port % 2 == 0, port != 0 else { continue }
            do {
                self = try Self(configuration, port: port)
                return
            } catch {
                last = error
            }
        }
        throw last
    }

    private init(_ configuration: EngineConfiguration, port: UInt16) throws(EngineError) {
        rtp = try Self.open(configuration, port: port, coalesces: true)
        do {
            // Whoever reads RTCP has no room for datagrams that the kernel has joined.
            rtcp = try Self.open(configuration, port: port + 1, coalesces: false)
        } catch {
            millrace_close(rtp)
            throw error
        }
        self.port = port
        rtcpPort = port + 1
    }

    private static func open(
        _ configuration: EngineConfiguration, port: UInt16, coalesces: Bool
    ) throws(EngineError) -> Int32 {
        guard let address = SocketAddress(configuration.bindAddress, port: port) else {
            throw .addressUnusable(address: configuration.bindAddress, reason: "not a numeric IPv4 or IPv6 address")
        }
        var raw = millrace_address()
        raw.length = address.length
        address.withKernelBytes { bytes in
            withUnsafeMutableBytes(of: &raw.bytes) { $0.copyMemory(from: bytes) }
        }
        let gro = coalesces && configuration.offload == .automatic && millrace_has_gro() == 1
        let fd = millrace_udp_open(
            &raw, Int32(configuration.limits.receiveBufferBytes), Int32(configuration.limits.sendBufferBytes),
            gro ? 1 : 0)
        guard fd >= 0 else {
            if -fd == EADDRINUSE || -fd == EACCES {
                throw .addressUnusable(
                    address: address.description, reason: -fd == EACCES ? "not permitted" : "the port is in use")
            }
            throw .systemCall(name: "bind \(address)", errno: -fd)
        }
        return fd
    }
}

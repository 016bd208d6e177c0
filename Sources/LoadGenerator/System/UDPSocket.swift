import CLinuxNet
import MediaBase
import MediaEngine
import SDP

/// UDP socket on a port that the kernel chooses; closed when it is released. It receives runs of datagrams of equal size as one (UDP GRO).
final class UDPSocket: Sendable {
    let descriptor: Int32
    let isIPv6: Bool
    /// The socket's address as the only ICE candidate of an endpoint.
    let candidate: ICECandidate

    /// - Parameter host: numeric address to bind to.
    init(host: String, receiveBuffer: Int) throws(LoadError) {
        guard let address = SocketAddress(host, port: 0) else { throw .address(host) }
        var kernel = millrace_address(address)
        let opened = millrace_udp_open(&kernel, Int32(receiveBuffer), 1 << 20, 1)
        guard opened >= 0 else { throw .system(call: "socket", errno: -opened) }
        var bound = millrace_address()
        let code = millrace_udp_local(opened, &bound)
        guard code >= 0 else {
            millrace_close(opened)
            throw .system(call: "getsockname", errno: -code)
        }
        descriptor = opened
        isIPv6 = address.isIPv6
        candidate = ICECandidate(
            foundation: "1", transport: .udp, priority: 2_130_706_431, host: host,
            port: SocketAddress(bound)?.port ?? 0)
    }

    deinit { millrace_close(descriptor) }

    var port: UInt16 { candidate.port }

    /// Number of datagrams that the kernel dropped here since the socket was opened.
    var kernelDrops: UInt64 { UInt64(max(0, millrace_udp_drops(descriptor))) }
}

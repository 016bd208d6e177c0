import CLinuxNet
import Glibc
import MediaBase

/// Opens one UDP socket of a worker.
enum UDPPort {
    /// - Parameters:
    ///   - port: 0: any free port.
    ///   - coalesces: the reader's buffers can hold datagrams that the kernel has joined (UDP GRO).
    static func open(
        _ configuration: EngineConfiguration, port: UInt16, coalesces: Bool
    ) throws(EngineError) -> (socket: Int32, port: UInt16) {
        guard let address = SocketAddress(configuration.bindAddress, port: port) else {
            throw .addressUnusable(address: configuration.bindAddress, reason: "not a numeric IPv4 or IPv6 address")
        }
        var raw = millrace_address(address)
        let gro = coalesces && configuration.offload == .automatic && millrace_has_gro() == 1
        let socket = millrace_udp_open(
            &raw, Int32(configuration.limits.receiveBufferBytes), Int32(configuration.limits.sendBufferBytes),
            gro ? 1 : 0)
        guard socket >= 0 else {
            if -socket == EADDRINUSE || -socket == EACCES {
                throw .addressUnusable(
                    address: address.description, reason: -socket == EACCES ? "not permitted" : "the port is in use")
            }
            throw .systemCall(name: "bind \(address)", errno: -socket)
        }
        guard port == 0 else { return (socket, port) }
        millrace_udp_local(socket, &raw)
        return (socket, SocketAddress(raw)?.port ?? 0)
    }
}

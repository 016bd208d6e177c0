import CLinuxNet
import Glibc
import MediaBase

/// Idle TCP connections from one address of the loopback network.
final class IdleFlood {
    struct Failed: Error {
        var step: String
        var errno: Int32
    }

    private var sockets: [Int32] = []

    /// Connects without waiting for the relay to accept: connections in the listen queue are part of the flood.
    init(from source: String, to destination: String, port: Int, count: Int) throws {
        guard let local = SocketAddress(source, port: 0), let remote = SocketAddress(destination, port: UInt16(port))
        else { throw Failed(step: "address", errno: EINVAL) }
        for index in 0..<count {
            let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
            guard socket >= 0 else { throw Failed(step: "socket", errno: errno) }
            sockets.append(socket)
            guard Self.call(bind, socket, local) == 0 else { throw Failed(step: "bind", errno: errno) }
            guard Self.call(connect, socket, remote) == 0 || errno == EINPROGRESS else {
                throw Failed(step: "connect", errno: errno)
            }
            // The listen queue has 256 entries: before it can be full, the relay gets time to accept some connections.
            if index % 50 == 49 { Self.waitUntilConnected(socket) }
        }
    }

    func close() {
        for socket in sockets { Glibc.close(socket) }
        sockets = []
    }

    private static func waitUntilConnected(_ socket: Int32) {
        var item = pollfd(fd: socket, events: Int16(POLLOUT), revents: 0)
        _ = poll(&item, 1, 2_000)
    }

    private static func call(
        _ function: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32, _ socket: Int32, _ address: SocketAddress
    ) -> Int32 {
        address.withKernelBytes { bytes in
            guard let base = bytes.baseAddress else { return -1 }
            return function(socket, base.assumingMemoryBound(to: sockaddr.self), socklen_t(address.length))
        }
    }
}

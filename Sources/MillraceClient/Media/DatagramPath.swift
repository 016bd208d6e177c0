import MediaBase

/// Sockets of one peer connection: one per IP version of the relay's candidates.
final class DatagramPath {
    private let localAddress: String?
    private var sockets: [Bool: DatagramSocket] = [:]
    /// Number of datagrams that the system did not accept.
    private(set) var refused: UInt64 = 0

    init(localAddress: String?) { self.localAddress = localAddress }

    var descriptors: [Int32] { sockets.values.map(\.descriptor) }

    func send(_ datagram: [UInt8], to address: SocketAddress) {
        let socket: DatagramSocket
        if let found = sockets[address.isIPv6] {
            socket = found
        } else {
            guard let opened = DatagramSocket(isIPv6: address.isIPv6, host: localAddress) else {
                refused += 1
                return
            }
            sockets[address.isIPv6] = opened
            socket = opened
        }
        if !socket.send(datagram, to: address) { refused += 1 }
    }

    func receive(atMost count: Int, _ body: (UnsafeRawBufferPointer, SocketAddress) -> Void) {
        for socket in sockets.values {
            for _ in 0..<count where !socket.receive(body) { break }
        }
    }

    /// Closes the sockets, for example after a network change; new ones are opened when needed.
    func rebind() { sockets.removeAll() }
}

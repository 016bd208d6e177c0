package import MediaBase

/// Where a peer's datagrams come from and go to: a UDP address, or a TCP connection that carries datagrams in frames (RFC 4571).
package struct PeerAddress: Hashable, Sendable {
    package var address: SocketAddress
    /// Number of the worker's TCP connection; -1 for UDP.
    package var connection: Int32
    /// Which of the relay's own addresses its datagrams come to and answers leave from, by the numbers of whoever owns the socket; 0: not told.
    package var local: UInt32

    package init(_ address: SocketAddress, connection: Int32 = -1, local: UInt32 = 0) {
        self.address = address
        self.connection = connection
        self.local = local
    }

    package var isTCP: Bool { connection >= 0 }
}

package import MediaBase

/// Where a peer's datagrams come from and go to: a UDP address, or a TCP connection that carries datagrams in frames (RFC 4571).
package struct PeerAddress: Hashable, Sendable {
    package var address: SocketAddress
    /// Number of the worker's TCP connection; -1 for UDP.
    package var connection: Int32

    package init(_ address: SocketAddress, connection: Int32 = -1) {
        self.address = address
        self.connection = connection
    }

    package var isTCP: Bool { connection >= 0 }
}

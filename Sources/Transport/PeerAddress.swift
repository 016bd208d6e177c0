package import MediaBase

/// Address of a peer: a UDP address, or a TCP connection that carries framed datagrams (RFC 4571).
package struct PeerAddress: Hashable, Sendable {
    package var address: SocketAddress
    /// Number of the worker's TCP connection; -1 for UDP.
    package var connection: Int32
    /// Number of the relay's local address that datagrams arrive at and answers leave from, as assigned by the owner of the socket; 0 if
    /// unknown.
    package var local: UInt32

    package init(_ address: SocketAddress, connection: Int32 = -1, local: UInt32 = 0) {
        self.address = address
        self.connection = connection
        self.local = local
    }

    package var isTCP: Bool { connection >= 0 }
}

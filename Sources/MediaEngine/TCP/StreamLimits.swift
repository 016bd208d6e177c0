package import MediaBase

/// Limits of one worker's TCP connections.
package struct StreamLimits: Sendable, Equatable {
    /// Connections in total. At the limit, a new one replaces the oldest unproven one, or is refused if there is none.
    package var connections = 1_024
    /// Unproven connections from one address (IPv6: from one /64). The number of proven ones is not limited:
    /// networks that block UDP put many clients behind one address.
    package var unprovenPerAddress = 16
    /// Lowest descriptor number that a connection must not have. If a descriptor reaches it, the
    /// process is short of descriptors and accepting pauses.
    package var descriptorCeiling = Int.max
    /// Maximum length of a framed datagram, in both directions.
    package var datagramBytes = 4_096
    /// Bytes queued for a slow peer in addition to the kernel's buffer. Media beyond the limit is dropped.
    package var sendBytes = 256 * 1_024
    /// Requested size of the kernel's send buffer. It is small because data in it is already late.
    package var kernelSendBytes = 128 * 1_024
    /// Bytes that a connection may send before it is proven.
    package var unprovenBytes = 64 * 1_024
    /// Time from connecting until the connection must be proven (``StreamSockets/admit(_:)``).
    package var proofTimeout = MediaTime.seconds(10)
    /// Time without a byte from the peer after which a connection is closed. ICE agents send a consent check every few seconds.
    package var idleTimeout = MediaTime.seconds(45)

    package init() {}
}

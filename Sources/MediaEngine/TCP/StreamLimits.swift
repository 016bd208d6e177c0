package import MediaBase

/// What one worker spends on TCP connections at most.
package struct StreamLimits: Sendable, Equatable {
    /// Connections in all. A new one beyond that takes the place of the oldest that has not proved itself, or is refused.
    package var connections = 1_024
    /// Connections of one address (of one /64 of IPv6) that have not proved themselves. Those that have may be many: networks that block
    /// UDP hide many people behind one address.
    package var unprovenPerAddress = 16
    /// Lowest descriptor that no connection may have: from it on the process is short of files, and accepting pauses.
    package var descriptorCeiling = Int.max
    /// Bytes of a datagram in a frame, either way.
    package var datagramBytes = 4_096
    /// Bytes that wait for a slow reader besides what the kernel holds; media beyond that is dropped.
    package var sendBytes = 256 * 1_024
    /// Bytes of the kernel's send buffer that are asked for. What is in there is late already, so it is kept small.
    package var kernelSendBytes = 128 * 1_024
    /// Bytes that a connection may send before it has proved itself.
    package var unprovenBytes = 64 * 1_024
    /// Time from connecting until the connection must have proved itself (``StreamSockets/admit(_:)``).
    package var proofTimeout = MediaTime.seconds(10)
    /// Time without a byte from the peer after which a connection is closed. An ICE agent asks for consent every few seconds.
    package var idleTimeout = MediaTime.seconds(45)

    package init() {}
}

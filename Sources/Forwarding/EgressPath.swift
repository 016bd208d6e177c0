package import MediaBase
package import SRTP

/// Destination address of a session's packets, with the keys that protect them. Packets of one path that are ready together leave in
/// one send.
package struct EgressPath {
    /// Destination address. Must stay the first field: a message points to it, and the path is found from that pointer.
    package var address: SocketAddress
    package var context: UnsafeMutablePointer<EgressContext>
    // Scratch values of the batch that is being laid out: address of the next packet, and index of the message that it can join.
    var cursor: UnsafeMutablePointer<UInt8>?
    var message = -1
    package var tagLength: Int
    /// Rate limit of the path.
    package var pacing = PathPacing()
    package var lane: EgressLane
    /// False after the path was closed; its index is then reused.
    package var isOpen = true
    /// Index of the socket among those of the lane. Each network interface has a socket with its own send buffer.
    package var socket: UInt8 = 0
    /// Number of the TCP connection in the engine, for lane `tcp`; else -1.
    package var connection: Int32
    /// Number of the local address that packets are sent from, as assigned by the engine; 0 leaves the choice to the kernel.
    package var local: UInt32 = 0
    /// Ring that records packets with a transport-wide number; nil if the path has none. Owned by the engine, which outlives the path.
    package var sent: UnsafeMutablePointer<SentPacketRing>?

    package init(
        address: SocketAddress, context: UnsafeMutablePointer<EgressContext>, tagLength: Int, lane: EgressLane = .plain,
        connection: Int32 = -1, sent: UnsafeMutablePointer<SentPacketRing>? = nil
    ) {
        self.address = address
        self.context = context
        self.tagLength = tagLength
        self.lane = lane
        self.connection = connection
        self.sent = sent
    }
}

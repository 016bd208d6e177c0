package import MediaBase
package import SRTP

/// One address that packets of a session go to, with the keys they are protected with. Packets of one path that are ready together
/// leave in one send.
package struct EgressPath {
    /// First: a message points to it, and with it to the path.
    package var address: SocketAddress
    package var leg: UnsafeMutablePointer<EgressLeg>
    // Scratch of the batch that is being laid out: where the next packet goes, and which message it can join.
    var cursor: UnsafeMutablePointer<UInt8>?
    var message = -1
    package var tagLength: Int
    /// How fast packets may leave.
    package var pacing = PathPacing()
    package var lane: EgressLane
    /// False once the path is given up; its index is then used again.
    package var isOpen = true
    /// Index of the socket that packets leave by, among those of the lane: each network interface has a send buffer of its own.
    package var socket: UInt8 = 0
    /// Lane `tcp`: which connection, by the engine's own numbers; else -1.
    package var connection: Int32
    /// Which of this machine's addresses packets leave from, by the engine's numbers; 0: the kernel's choice.
    package var local: UInt32 = 0
    /// Where packets with a transport-wide number are noted; nil: none has one. Owned by the engine, which outlives the path.
    package var sent: UnsafeMutablePointer<SentPacketRing>?

    package init(
        address: SocketAddress, leg: UnsafeMutablePointer<EgressLeg>, tagLength: Int, lane: EgressLane = .plain,
        connection: Int32 = -1, sent: UnsafeMutablePointer<SentPacketRing>? = nil
    ) {
        self.address = address
        self.leg = leg
        self.tagLength = tagLength
        self.lane = lane
        self.connection = connection
        self.sent = sent
    }
}

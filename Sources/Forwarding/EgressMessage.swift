package import MediaBase

/// One or more datagrams for one address, lying one after another in the slab: `segment` bytes each, the last may be shorter.
/// Laid out as the C sender's message.
package struct EgressMessage {
    package var data: UnsafePointer<UInt8>
    package var address: UnsafePointer<SocketAddress>
    package var length: UInt32
    package var segment: UInt32
    /// Which of this machine's addresses it leaves from, by the engine's numbers; 0: the kernel's choice.
    package var local: UInt32
    /// Index of the socket that it leaves by, among those of its lane.
    package var socket: UInt8
    /// Cause for which it was not sent, plus 1; 0: it was sent.
    private var dropCode: UInt8 = 0
    /// Error number with which the kernel refused it; 0: it did not.
    package var error: UInt16 = 0

    /// Cause for which it was not sent; nil: it was. A message is sent or dropped as a whole.
    package var drop: SendDropCause? { dropCode == 0 ? nil : SendDropCause(rawValue: dropCode - 1) }
    /// Datagrams in it.
    package var packets: Int { Int((length &+ segment &- 1) / max(1, segment)) }

    mutating func setDrop(_ cause: SendDropCause) { dropCode = cause.rawValue + 1 }

    package init(
        data: UnsafePointer<UInt8>, address: UnsafePointer<SocketAddress>, length: UInt32, segment: UInt32,
        local: UInt32 = 0, socket: UInt8 = 0
    ) {
        self.data = data
        self.address = address
        self.length = length
        self.segment = segment
        self.local = local
        self.socket = socket
    }
}

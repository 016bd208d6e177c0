package import MediaBase

/// Datagrams, at least one, for one address, contiguous in the slab: `segment` bytes each, the last may be shorter. Has the memory layout
/// of the message struct of the C sender.
package struct EgressMessage {
    package var data: UnsafePointer<UInt8>
    package var address: UnsafePointer<SocketAddress>
    package var length: UInt32
    package var segment: UInt32
    /// Number of the local address that it is sent from, as assigned by the engine; 0 leaves the choice to the kernel.
    package var local: UInt32
    /// Index of the socket among those of its lane; `sentSocket`: the message has been sent as frames.
    package var socket: UInt8
    /// Reason why it was not sent, plus 1; 0 if it was sent.
    private var dropCode: UInt8 = 0
    /// Error number of the kernel's refusal; 0 if there was none.
    package var error: UInt16 = 0

    /// Value of `socket` that makes the C sender skip the message.
    package static let sentSocket: UInt8 = 255

    /// Reason why it was not sent; nil if it was sent. A message is sent or dropped as a whole.
    package var drop: SendDropCause? { dropCode == 0 ? nil : SendDropCause(rawValue: dropCode - 1) }
    /// Number of datagrams in the message.
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

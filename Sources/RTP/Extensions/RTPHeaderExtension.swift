/// Element of an RTP header extension (RFC 8285): its local identifier and the position of its data.
package struct RTPHeaderExtension: Hashable, Sendable {
    /// 1...14 in the one-byte form, 1...255 in the two-byte form; its meaning is negotiated (`a=extmap`).
    package var id: UInt8
    /// Start of the data, in bytes from the start of the packet.
    package var offset: Int
    /// Bytes of data: 1...16 in the one-byte form, 0...255 in the two-byte form.
    package var length: Int

    package init(id: UInt8, offset: Int, length: Int) {
        self.id = id
        self.offset = offset
        self.length = length
    }
}

/// Iterator over the elements of an RTP header extension (RFC 8285 sections 4.2 and 4.3). Allocates nothing; valid only as long as
/// the packet's memory.
///
///     one-byte form (0xBEDE)            two-byte form (0x100 and four application bits)
///      0 1 2 3 4 5 6 7                   0                   1
///     +-+-+-+-+-+-+-+-+                  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5
///     |  ID   | L - 1 | L bytes          |      ID       |     L         | L bytes
///     +-+-+-+-+-+-+-+-+                  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///
/// Elements before damaged data are returned, elements after it are not.
package struct RTPHeaderExtensions: Sequence, IteratorProtocol {
    /// Layout of the elements.
    package enum Form: Hashable, Sendable {
        case oneByte
        case twoByte

        package init?(profile: UInt16) {
            if profile == 0xbede {
                self = .oneByte
            } else if profile & 0xfff0 == 0x1000 {
                self = .twoByte
            } else {
                return nil
            }
        }
        /// The "defined by profile" field.
        package var profile: UInt16 { self == .oneByte ? 0xbede : 0x1000 }
    }

    private let packet: UnsafeRawBufferPointer
    private let isOneByte: Bool
    private var offset: Int
    private var end: Int

    /// No elements.
    package init() {
        packet = UnsafeRawBufferPointer(start: nil, count: 0)
        isOneByte = true
        offset = 0
        end = 0
    }

    /// Creates an iterator over `length` bytes from `offset` of `packet`; empty if the profile is neither form or the range exceeds
    /// the packet.
    package init(profile: UInt16, packet: UnsafeRawBufferPointer, offset: Int, length: Int) {
        let form = Form(profile: profile)
        let fits = offset >= 0 && length >= 0 && offset <= packet.count && length <= packet.count &- offset
        self.packet = packet
        isOneByte = form == .oneByte
        self.offset = offset
        end = form != nil && fits ? offset &+ length : offset
    }

    package mutating func next() -> RTPHeaderExtension? {
        guard let base = packet.baseAddress else { return nil }
        while offset < end {
            let first = base.u8(offset)
            let id: UInt8
            let length: Int
            let start: Int
            if isOneByte {
                if first == 0 {
                    offset &+= 1
                    continue
                }
                id = first >> 4
                length = Int(first & 0x0f) &+ 1
                start = offset &+ 1
                // ID 15 stops processing (section 4.2); ID 0 with a length is invalid and stops it as well.
                if id == 15 || id == 0 { break }
            } else {
                if first == 0 {
                    offset &+= 1
                    continue
                }
                guard offset &+ 1 < end else { break }
                id = first
                length = Int(base.u8(offset &+ 1))
                start = offset &+ 2
            }
            guard length <= end &- start else { break }
            offset = start &+ length
            return RTPHeaderExtension(id: id, offset: start, length: length)
        }
        offset = end
        return nil
    }

    /// Returns the first element with this identifier.
    package func first(id: UInt8) -> RTPHeaderExtension? {
        var walk = self
        while let element = walk.next() {
            if element.id == id { return element }
        }
        return nil
    }
}

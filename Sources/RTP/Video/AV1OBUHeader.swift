/// Header of an AV1 OBU (AV1 bitstream specification, section 5.3.2): one byte, and one more if the layers are stated.
///
///      0 1 2 3 4 5 6 7
///     +-+-+-+-+-+-+-+-+
///     |F| type  |X|S|-|
///     +-+-+-+-+-+-+-+-+
package struct AV1OBUHeader {
    package enum Kind: UInt8 {
        case sequenceHeader = 1
        case temporalDelimiter = 2
        case frameHeader = 3
        case frame = 6
        case tileList = 8
    }

    static let sizeFlag: UInt8 = 0x02

    private let first: UInt8

    package init(_ first: UInt8) { self.first = first }

    package var isForbidden: Bool { first & 0x80 != 0 }
    /// Nil for types that have no meaning here.
    package var type: Kind? { Kind(rawValue: first >> 3 & 0x0f) }
    package var hasSize: Bool { first & Self.sizeFlag != 0 }
    /// Bytes of the header: 1 or 2.
    package var length: Int { first & 0x04 != 0 ? 2 : 1 }
}

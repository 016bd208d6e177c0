/// Header of an AV1 OBU (AV1 bitstream specification, section 5.3.2): one byte, and one more if the layers are stated.
///
///      0 1 2 3 4 5 6 7
///     +-+-+-+-+-+-+-+-+
///     |F| type  |X|S|-|
///     +-+-+-+-+-+-+-+-+
struct AV1OBUHeader {
    enum Kind: UInt8 {
        case sequenceHeader = 1
        case temporalDelimiter = 2
        case tileList = 8
    }

    static let sizeFlag: UInt8 = 0x02

    private let first: UInt8

    init(_ first: UInt8) { self.first = first }

    var isForbidden: Bool { first & 0x80 != 0 }
    /// Nil for types that have no meaning here.
    var type: Kind? { Kind(rawValue: first >> 3 & 0x0f) }
    var hasSize: Bool { first & Self.sizeFlag != 0 }
    /// Bytes of the header: 1 or 2.
    var length: Int { first & 0x04 != 0 ? 2 : 1 }
}

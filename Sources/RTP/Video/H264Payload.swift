/// Structure of an RTP payload of H.264 in packetization mode 1: a single NAL unit, STAP-A or FU-A (RFC 6184 sections 5.2 to 5.8).
///
///      0 1 2 3 4 5 6 7          0 1 2 3 4 5 6 7
///     +-+-+-+-+-+-+-+-+        +-+-+-+-+-+-+-+-+
///     |F|NRI|  Type   |  FU-A: |S|E|R|  Type   |
///     +-+-+-+-+-+-+-+-+        +-+-+-+-+-+-+-+-+
package struct H264Payload: Sendable {
    package enum Structure: Hashable, Sendable {
        case singleUnit
        /// STAP-A.
        case aggregate
        /// FU-A.
        case fragment(isStart: Bool, isEnd: Bool)
    }

    package let structure: Structure
    /// Header of the NAL unit: F, NRI and type. That of a fragmented unit is composed of the FU indicator and the FU header; an
    /// aggregate has its own.
    package let header: UInt8
    /// Bytes before those of the NAL unit after its header, or before the first unit of an aggregate.
    package let headerLength: Int

    package var type: H264UnitType { H264UnitType(header: header) }

    /// - Throws: `unexpected` for the structures of packetization mode 2 (STAP-B, MTAP16, MTAP24, FU-B); `invalid` for a set F bit and
    ///   for types without a meaning.
    package init(parsing payload: UnsafeRawBufferPointer) throws(RTPError) {
        guard payload.count >= 1, let base = payload.baseAddress else { throw .truncated(.h264Payload) }
        let first = base.u8(0)
        guard first & 0x80 == 0 else { throw .invalid(.h264Payload) }
        switch first & 0x1f {
        case 1...23:
            structure = .singleUnit
            header = first
            headerLength = 1
        case 24:
            structure = .aggregate
            header = first
            headerLength = 1
        case 28:
            guard payload.count >= 2 else { throw .truncated(.h264Fragment) }
            let second = base.u8(1)
            guard (1...23).contains(second & 0x1f) else { throw .invalid(.h264Fragment) }
            structure = .fragment(isStart: second & 0x80 != 0, isEnd: second & 0x40 != 0)
            header = first & 0x60 | second & 0x1f
            headerLength = 2
        case 25, 26, 27, 29: throw .unexpected(.h264Payload)
        default: throw .invalid(.h264Payload)
        }
    }
}

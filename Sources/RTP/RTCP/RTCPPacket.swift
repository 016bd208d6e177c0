package import MediaBase

/// Packet of an RTCP datagram: parsed header, unparsed body (RFC 3550 section 6.4.1). Valid only as long as the datagram's memory.
///
///      0                   1                   2                   3
///      0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///     |V=2|P|  count  |      PT       |   length in words, minus one  |
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
package struct RTCPPacket {
    package let type: RTCPPacketType
    /// Reports, chunks or sources that follow, or the feedback format: 0...31.
    package let count: UInt8
    /// Bytes after the four header bytes, without padding; a multiple of 4 bytes unless the packet is padded.
    package let body: UnsafeRawBufferPointer
    /// Total size of the packet in bytes, header and padding included.
    package let length: Int

    /// Parses the header of the packet at the start of `bytes`; more packets may follow.
    package init(parsing bytes: UnsafeRawBufferPointer) throws(RTPError) {
        guard bytes.count >= 4, let base = bytes.baseAddress else { throw .truncated(.rtcpHeader) }
        let first = base.u8(0)
        guard first >> 6 == 2 else { throw .unsupportedVersion(.rtcpHeader) }
        count = first & 0x1f
        type = RTCPPacketType(rawValue: base.u8(1))
        length = (Int(base.u16(2)) + 1) * 4
        guard length <= bytes.count else { throw .truncated(.rtcpLength) }
        var end = length
        if first & 0x20 != 0 {
            let padding = Int(base.u8(length - 1))
            guard padding > 0, padding <= length - 4 else { throw .invalid(.rtcpPadding) }
            end -= padding
        }
        body = UnsafeRawBufferPointer(rebasing: bytes[4..<end])
    }

    package var kind: RTCPKind {
        switch type {
        case .senderReport: .senderReport
        case .receiverReport: .receiverReport
        case .sourceDescription: .sdes
        case .goodbye: .bye
        case .extendedReport: .xr
        case .transportFeedback:
            switch count {
            case RTCPKind.genericNACKFormat: .genericNACK
            case RTCPKind.transportCCFormat: .transportCC
            default: .other
            }
        case .payloadFeedback:
            switch count {
            case RTCPKind.pliFormat: .pli
            case RTCPKind.firFormat: .fir
            case RTCPKind.applicationLayerFormat: REMB.matches(body) ? .remb : .other
            default: .other
            }
        default: .other
        }
    }

    /// SSRC of the packet's sender: the first word of every kind except SDES and BYE, which begin with a source. Nil if the body is
    /// empty.
    package var firstSSRC: SSRC? {
        guard body.count >= 4, let base = body.baseAddress else { return nil }
        return SSRC(base.u32(0))
    }

    /// Returns the body if the packet is of `kind` and its body has at least `length` bytes.
    func body(of kind: RTCPKind, atLeast length: Int, _ field: RTPField) throws(RTPError) -> UnsafeRawPointer {
        guard self.kind == kind else { throw .unexpected(.rtcpPacketType) }
        guard body.count >= length, let base = body.baseAddress else { throw .truncated(field) }
        return base
    }
}

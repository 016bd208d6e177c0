package import MediaBase

/// Header of one RTP packet and the offsets of its parts (RFC 3550 section 5.1). Offsets and lengths are bytes from the start of
/// the packet. Plain integers only: parsing allocates nothing and keeps no reference to the packet.
///
///      0                   1                   2                   3
///      0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///     |V=2|P|X|  CC   |M|     PT      |       sequence number         |
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///     |                           timestamp                           |
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///     |           synchronization source (SSRC) identifier            |
///     +=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+
///     |     contributing source (CSRC) identifiers, CC of them        |
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///     |      X: defined by profile    |   length in 32-bit words      |
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
package struct RTPHeader: Hashable, Sendable {
    /// Bytes of a header without CSRCs and extension.
    package static let fixedLength = 12

    package var marker: Bool
    package var payloadType: PayloadType
    package var sequenceNumber: SequenceNumber
    package var timestamp: RTPTimestamp
    package var ssrc: SSRC
    /// 0...15 contributing sources; they start at byte 12.
    package var csrcCount: UInt8
    package var hasExtension: Bool
    /// "Defined by profile": 0xBEDE and 0x100x are RFC 8285's one- and two-byte forms. 0 without extension.
    package var extensionProfile: UInt16
    /// Start of the extension's data, after its four-byte head. 0 without extension.
    package var extensionOffset: Int
    /// Bytes of extension data: a multiple of 4.
    package var extensionLength: Int
    package var payloadOffset: Int
    /// Bytes of payload without padding. May be 0.
    package var payloadLength: Int
    /// 0...255 bytes after the payload, the count byte included.
    package var paddingLength: Int

    /// Creates a header for writing, with no CSRCs, extension or padding.
    package init(
        payloadType: PayloadType, sequenceNumber: SequenceNumber, timestamp: RTPTimestamp, ssrc: SSRC,
        marker: Bool = false, payloadLength: Int = 0
    ) {
        self.marker = marker
        self.payloadType = payloadType
        self.sequenceNumber = sequenceNumber
        self.timestamp = timestamp
        self.ssrc = ssrc
        csrcCount = 0
        hasExtension = false
        extensionProfile = 0
        extensionOffset = 0
        extensionLength = 0
        payloadOffset = Self.fixedLength
        self.payloadLength = payloadLength
        paddingLength = 0
    }

    /// Parses the header of `packet`, a whole unencrypted packet. An encrypted packet without padding parses too. If an encrypted
    /// packet has padding, the padding count is encrypted: use `init(parsingProtected:)`.
    package init(parsing packet: UnsafeRawBufferPointer) throws(RTPError) {
        try self.init(parsingProtected: packet)
        guard packet[0] & 0x20 != 0 else { return }
        guard payloadLength > 0 else { throw .truncated(.padding) }
        let padding = Int(packet[packet.count &- 1])
        guard padding > 0, padding <= payloadLength else { throw .invalid(.padding) }
        paddingLength = padding
        payloadLength &-= padding
    }

    /// Parses the part that SRTP leaves unencrypted (RFC 3711 section 3.1). Padding, which is encrypted, and an authentication tag
    /// count as payload.
    // Inlined into the other initializer, because copying the struct would take as long as parsing it.
    @inline(__always)
    package init(parsingProtected packet: UnsafeRawBufferPointer) throws(RTPError) {
        guard packet.count >= Self.fixedLength, let base = packet.baseAddress else { throw .truncated(.fixedHeader) }
        let first = base.u8(0)
        guard first >> 6 == 2 else { throw .unsupportedVersion(.fixedHeader) }
        let second = base.u8(1)
        marker = second & 0x80 != 0
        payloadType = PayloadType(second)
        sequenceNumber = SequenceNumber(base.u16(2))
        timestamp = RTPTimestamp(base.u32(4))
        ssrc = SSRC(base.u32(8))
        csrcCount = first & 0x0f
        paddingLength = 0
        hasExtension = false
        extensionProfile = 0
        extensionOffset = 0
        extensionLength = 0
        var offset = Self.fixedLength &+ Int(csrcCount) &* 4
        guard offset <= packet.count else { throw .truncated(.csrcList) }
        if first & 0x10 != 0 {
            guard offset &+ 4 <= packet.count else { throw .truncated(.headerExtension) }
            hasExtension = true
            extensionProfile = base.u16(offset)
            extensionLength = Int(base.u16(offset &+ 2)) &* 4
            offset &+= 4
            extensionOffset = offset
            offset &+= extensionLength
            guard offset <= packet.count else { throw .truncated(.headerExtension) }
        }
        payloadOffset = offset
        payloadLength = packet.count &- offset
    }

    /// Writes the fixed header and, if `hasExtension`, the extension's header after the CSRC list. The caller writes CSRCs,
    /// extension data, payload and padding.
    /// - Returns: the number of bytes before the payload, `headerLength`.
    /// - Precondition: `buffer` has at least `headerLength` bytes.
    @discardableResult
    package func write(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let length = headerLength
        precondition(buffer.count >= length && csrcCount <= 15 && extensionLength & 3 == 0)
        // The precondition excludes an empty buffer.
        let base = buffer.baseAddress.unsafelyUnwrapped
        var first = 0x80 | csrcCount
        if paddingLength > 0 { first |= 0x20 }
        if hasExtension { first |= 0x10 }
        base.put(first, at: 0)
        base.put(marker ? 0x80 | payloadType.rawValue : payloadType.rawValue, at: 1)
        base.put(sequenceNumber.rawValue, at: 2)
        base.put(timestamp.rawValue, at: 4)
        base.put(ssrc.rawValue, at: 8)
        if hasExtension {
            let head = Self.fixedLength + Int(csrcCount) * 4
            base.put(extensionProfile, at: head)
            base.put(UInt16(truncatingIfNeeded: extensionLength / 4), at: head + 2)
        }
        return length
    }

    /// Bytes before the payload, from `csrcCount`, `hasExtension` and `extensionLength`.
    package var headerLength: Int {
        Self.fixedLength + Int(csrcCount) * 4 + (hasExtension ? 4 + extensionLength : 0)
    }

    /// Bytes of the whole packet.
    package var packetLength: Int { headerLength + payloadLength + paddingLength }

    /// Returns the elements of the header extension in `packet`, which must be the packet this header was parsed from. Empty if
    /// there is no extension or its profile is neither RFC 8285 form.
    package func extensions(in packet: UnsafeRawBufferPointer) -> RTPHeaderExtensions {
        guard hasExtension, extensionOffset + extensionLength <= packet.count else { return RTPHeaderExtensions() }
        return RTPHeaderExtensions(
            profile: extensionProfile, packet: packet, offset: extensionOffset, length: extensionLength)
    }
}

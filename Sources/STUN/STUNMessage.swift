/// STUN message (RFC 5389 section 6; RFC 8489 has the same form).
///
///      0                   1                   2                   3
///      0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///     |0 0| class and method, mixed   |         message length        |
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///     |                   magic cookie 0x2112a442                     |
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///     |                  transaction id (96 bits)                     |
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///
/// A parsed message is not authenticated yet: see `verifyIntegrity`.
package struct STUNMessage: Hashable, Sendable {
    package static let headerLength = 20
    package static let magicCookie: UInt32 = 0x2112_a442

    package var messageClass: STUNClass
    package var method: STUNMethod
    package var transaction: STUNTransactionID
    /// Attributes before MESSAGE-INTEGRITY, in order. Attributes behind it, except FINGERPRINT, must not be trusted (RFC 5389 section 15.4)
    /// and are left out.
    package var attributes: [STUNAttribute]
    /// Byte at which MESSAGE-INTEGRITY starts in the datagram that this was parsed from.
    package let integrityOffset: Int?
    /// Byte at which FINGERPRINT starts in the datagram that this was parsed from.
    package let fingerprintOffset: Int?

    /// Creates a message to send.
    package init(
        _ messageClass: STUNClass, _ method: STUNMethod = .binding, transaction: STUNTransactionID,
        attributes: [STUNAttribute] = []
    ) {
        self.messageClass = messageClass
        self.method = method
        self.transaction = transaction
        self.attributes = attributes
        integrityOffset = nil
        fingerprintOffset = nil
    }

    /// Returns whether a datagram can be STUN, by length, first bits and magic cookie. Cheap enough for every datagram.
    package static func matches(_ datagram: UnsafeRawBufferPointer) -> Bool {
        datagram.count >= headerLength && datagram[0] < 0x40 && datagram.u32(4) == magicCookie
    }

    /// Parses a datagram. Attributes of unknown types are kept as `.other`.
    package init(parsing datagram: UnsafeRawBufferPointer) throws(STUNError) {
        guard datagram.count >= Self.headerLength else { throw .length }
        guard Self.matches(datagram) else { throw .notSTUN }
        guard datagram.count == Self.headerLength + Int(datagram.u16(2)), datagram.count & 3 == 0 else { throw .length }
        let type = datagram.u16(0)
        // The class is in bits 8 and 4, the method in the bits around them.
        guard let messageClass = STUNClass(rawValue: UInt8(truncatingIfNeeded: (type >> 7) & 2 | (type >> 4) & 1))
        else { throw .notSTUN }
        self.messageClass = messageClass
        method = STUNMethod(rawValue: type & 0x000f | (type & 0x00e0) >> 1 | (type & 0x3e00) >> 2)
        transaction = STUNTransactionID(high: datagram.u32(8), low: datagram.u64(12))
        attributes = []
        var integrity: Int?
        var fingerprint: Int?
        var offset = Self.headerLength
        while offset < datagram.count {
            guard fingerprint == nil else { throw .misplacedFingerprint }
            guard offset + 4 <= datagram.count else { throw .length }
            let type = STUNAttributeType(rawValue: datagram.u16(offset))
            let length = Int(datagram.u16(offset + 2))
            let value = offset + 4
            let end = value + (length + 3) & ~3
            guard end <= datagram.count else { throw .truncatedAttribute(type: type.rawValue) }
            switch type {
            case .fingerprint:
                guard length == 4 else { throw .invalidAttribute(type: type.rawValue) }
                fingerprint = offset
            case .messageIntegrity where integrity == nil:
                guard length == 20 else { throw .invalidAttribute(type: type.rawValue) }
                integrity = offset
            case _ where integrity == nil:
                attributes.append(
                    try STUNAttribute(
                        type: type, value: UnsafeRawBufferPointer(rebasing: datagram[value..<(value + length)]),
                        transaction: transaction))
            default: break
            }
            offset = end
        }
        integrityOffset = integrity
        fingerprintOffset = fingerprint
    }
}

/// One STUN message (RFC 5389 section 6; RFC 8489 has the same form).
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
/// A message that was parsed is not yet authentic: `verifyIntegrity` tells.
package struct STUNMessage: Hashable, Sendable {
    package static let headerLength = 20
    package static let magicCookie: UInt32 = 0x2112_a442

    package var messageClass: STUNClass
    package var method: STUNMethod
    package var transaction: STUNTransactionID
    /// In order, those before MESSAGE-INTEGRITY; what follows it but FINGERPRINT is not to be trusted (section 15.4).
    package var attributes: [STUNAttribute]
    /// Byte at which MESSAGE-INTEGRITY starts in the datagram that this was parsed from.
    package let integrityOffset: Int?
    /// Byte at which FINGERPRINT starts in the datagram that this was parsed from.
    package let fingerprintOffset: Int?

    /// A message to be written.
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

    /// Whether a datagram can be STUN at all: length, first bits and magic cookie. Cheap enough for each datagram.
    package static func matches(_ datagram: UnsafeRawBufferPointer) -> Bool {
        datagram.count >= headerLength && datagram[0] < 0x40 && datagram.u32(4) == magicCookie
    }

    /// Reads a datagram. Attributes of unknown types are kept as `.other`.
    package init(parsing datagram: UnsafeRawBufferPointer) throws(STUNError) {
        guard datagram.count >= Self.headerLength else { throw .length }
        guard Self.matches(datagram) else { throw .notSTUN }
        guard datagram.count == Self.headerLength + Int(datagram.u16(2)), datagram.count & 3 == 0 else { throw .length }
        let type = datagram.u16(0)
        // Class bits are 8 and 4; the method is what lies around them.
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

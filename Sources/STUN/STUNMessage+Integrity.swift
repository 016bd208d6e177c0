extension STUNMessage {
    /// HMAC-SHA1 over a message with the caller's key: 20 bytes. In ICE the key is the password of the agent that receives the request
    /// (short-term credentials, RFC 5389 section 10.1). This target has no cryptography of its own.
    package typealias HMACSHA1 = (_ message: UnsafeRawBufferPointer) -> [UInt8]

    private static let integrityLength = 24
    private static let fingerprintMask: UInt32 = 0x5354_554e

    /// Returns whether MESSAGE-INTEGRITY is present and correct (RFC 5389 section 15.4). It covers the bytes before it, with the header's
    /// length field set to end right behind it.
    /// - Parameter datagram: the datagram that this message was parsed from.
    package func verifyIntegrity(of datagram: UnsafeRawBufferPointer, hmac: HMACSHA1) -> Bool {
        guard let offset = integrityOffset, offset + Self.integrityLength <= datagram.count else { return false }
        var covered = Array(datagram[..<offset])
        covered.setMessageLength(offset + Self.integrityLength)
        let expected = covered.withUnsafeBytes(hmac)
        guard expected.count == 20 else { return false }
        // Constant time: all bytes are compared.
        return zip(expected, datagram[(offset + 4)...]).reduce(0 as UInt8) { $0 | ($1.0 ^ $1.1) } == 0
    }

    /// Returns whether FINGERPRINT is present and correct (RFC 5389 section 15.5).
    /// - Parameter datagram: the datagram that this message was parsed from.
    package func verifyFingerprint(of datagram: UnsafeRawBufferPointer) -> Bool {
        guard let offset = fingerprintOffset, offset + 8 <= datagram.count else { return false }
        let checksum = CRC32.checksum(UnsafeRawBufferPointer(rebasing: datagram[..<offset]))
        return checksum ^ Self.fingerprintMask == datagram.u32(offset + 4)
    }

    /// Returns the datagram: header, attributes, MESSAGE-INTEGRITY if `integrity` is given, FINGERPRINT if requested.
    package func bytes(integrity: HMACSHA1? = nil, fingerprint: Bool = true) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(128)
        let method = self.method.rawValue
        let kind = UInt16(messageClass.rawValue)
        bytes.appendBigEndian(
            method & 0x000f | (method & 0x0070) << 1 | (method & 0x0f80) << 2 | (kind & 1) << 4 | (kind & 2) << 7)
        bytes.appendBigEndian(UInt16(0))
        bytes.appendBigEndian(Self.magicCookie)
        bytes.appendBigEndian(transaction.high)
        bytes.appendBigEndian(transaction.low)
        for attribute in attributes { attribute.write(into: &bytes, transaction: transaction) }
        if let integrity {
            bytes.setMessageLength(bytes.count + Self.integrityLength)
            let code = bytes.withUnsafeBytes(integrity)
            precondition(code.count == 20, "HMAC-SHA1 has 20 bytes")
            bytes.appendAttribute(.messageIntegrity) { $0.append(contentsOf: code) }
        }
        if fingerprint {
            bytes.setMessageLength(bytes.count + 8)
            let checksum = bytes.withUnsafeBytes(CRC32.checksum) ^ Self.fingerprintMask
            bytes.appendAttribute(.fingerprint) { $0.appendBigEndian(checksum) }
        }
        bytes.setMessageLength(bytes.count)
        return bytes
    }
}

extension [UInt8] {
    /// Sets the header's length field for a message of `total` bytes.
    fileprivate mutating func setMessageLength(_ total: Int) {
        let length = total - STUNMessage.headerLength
        precondition(length <= 0xffff, "a STUN message has at most 65,535 bytes behind its header")
        self[2] = UInt8(truncatingIfNeeded: length >> 8)
        self[3] = UInt8(truncatingIfNeeded: length)
    }
}

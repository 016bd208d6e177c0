/// ERROR-CODE of an error response (RFC 5389 section 15.6).
package struct STUNErrorCode: Hashable, Sendable {
    /// 300...699.
    package var code: UInt16
    /// Human-readable reason; at most 763 bytes are written.
    package var reason: String

    package init(code: UInt16, reason: String) {
        self.code = code
        self.reason = reason
    }

    package static let badRequest = STUNErrorCode(code: 400, reason: "Bad Request")
    package static let unauthorized = STUNErrorCode(code: 401, reason: "Unauthorized")
    package static let unknownAttribute = STUNErrorCode(code: 420, reason: "Unknown Attribute")
    /// Both ends think they are controlling, or controlled (RFC 8445 section 7.3.1.1).
    package static let roleConflict = STUNErrorCode(code: 487, reason: "Role Conflict")
    package static let serverError = STUNErrorCode(code: 500, reason: "Server Error")

    ///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
    ///     |           Reserved, should be 0         |Class|     Number    |
    ///     |      Reason Phrase (variable)                                ..
    ///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
    init?(parsing value: UnsafeRawBufferPointer) {
        guard value.count >= 4 else { return nil }
        let hundreds = UInt16(value[2] & 0x07)
        let number = UInt16(value[3])
        guard (3...6).contains(hundreds), number < 100 else { return nil }
        code = hundreds * 100 + number
        reason = String(decoding: value[4...], as: UTF8.self)
    }

    func write(into bytes: inout [UInt8]) {
        bytes.appendBigEndian(UInt16(0))
        bytes.append(UInt8(truncatingIfNeeded: (code / 100) & 0x07))
        bytes.append(UInt8(truncatingIfNeeded: code % 100))
        bytes.append(contentsOf: reason.utf8.prefix(763))
    }
}

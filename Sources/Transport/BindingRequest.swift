import DTLS
import STUN

/// Authenticated connectivity check (RFC 8445 section 7.3) or binding indication (section 11): its sender knows the password.
struct BindingRequest {
    /// Reason why a datagram was refused.
    enum Refusal: Error {
        case malformed
        case unauthentic
    }

    let message: STUNMessage
    /// Length of the request in bytes.
    let length: Int

    /// Parses and authenticates a request.
    /// - Parameter key: returns the password for a user name; nil if the name is unknown.
    init(
        _ datagram: UnsafeRawBufferPointer, key: (_ username: String) -> [UInt8]?
    ) throws(Refusal) {
        guard let message = try? STUNMessage(parsing: datagram),
            message.messageClass == .request || message.messageClass == .indication,
            message.method == .binding, message.verifyFingerprint(of: datagram)
        else { throw .malformed }
        guard let username = message.username, let key = key(username),
            message.verifyIntegrity(of: datagram, hmac: { MessageAuthentication.hmacSHA1(key: key, $0) })
        else { throw .unauthentic }
        self.message = message
        length = datagram.count
    }

    /// True for an indication, which is not answered.
    var isIndication: Bool { message.messageClass == .indication }

    /// Returns the success response with the source address of the request (RFC 8445 section 7.3.1.2).
    func success(mapped: STUNAddress, key: [UInt8]) -> [UInt8] {
        bytes(.success, [.xorMappedAddress(mapped)], key)
    }

    /// Returns the error response. The list of unknown types is limited to what fits, and the reason phrase is omitted if needed, so that
    /// the response is never longer than the request.
    func error(_ code: STUNErrorCode, unknown: [STUNAttributeType] = [], key: [UInt8]) -> [UInt8] {
        let list: [STUNAttribute] = unknown.isEmpty ? [] : [.unknownAttributes(unknown)]
        let whole = bytes(.error, [.errorCode(code)] + list, key)
        if whole.count <= length { return whole }
        return bytes(.error, [.errorCode(STUNErrorCode(code: code.code, reason: ""))] + list, key)
    }

    private func bytes(_ kind: STUNClass, _ attributes: [STUNAttribute], _ key: [UInt8]) -> [UInt8] {
        STUNMessage(kind, transaction: message.transaction, attributes: attributes)
            .bytes(integrity: { MessageAuthentication.hmacSHA1(key: key, $0) })
    }
}

import DTLS
import STUN

/// A connectivity check (RFC 8445 section 7.3) or a binding indication (section 11), authenticated: from somebody who knows the password
/// that it was made with.
struct BindingRequest {
    /// Why a datagram is no such thing.
    enum Refusal: Error {
        case malformed
        case unauthentic
    }

    let message: STUNMessage
    /// Bytes of the request.
    let length: Int

    /// - Parameter key: for the user name that the request has, the password that must have been used; nil where the name is unknown.
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

    /// It is not answered.
    var isIndication: Bool { message.messageClass == .indication }

    /// The answer that says where the request came from (RFC 8445 section 7.3.1.2).
    func success(mapped: STUNAddress, key: [UInt8]) -> [UInt8] {
        bytes(.success, [.xorMappedAddress(mapped)], key)
    }

    /// The answer that refuses it. A list of unknown types is only as long as fits the bytes of the request, where needed without the
    /// words for people, so that an answer is never longer than its request.
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

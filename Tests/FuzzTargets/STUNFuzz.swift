import DTLS
import STUN

/// STUN messages: read, written and read again.
enum STUNFuzz {
    private static let key = Array("a password of ICE".utf8)

    static func run(_ bytes: UnsafeRawBufferPointer) throws(FuzzViolation) {
        let matches = STUNMessage.matches(bytes)
        guard let message = try? STUNMessage(parsing: bytes) else { return }
        try require(matches, "a message that does not match")
        _ = message.verifyFingerprint(of: bytes)
        _ = message.verifyIntegrity(of: bytes) { MessageAuthentication.hmacSHA1(key: key, $0) }
        _ = message.unknownRequiredTypes
        _ = message.errorCode
        // Text that is not UTF-8 may exceed the allowed length.
        guard message.username?.utf8.count ?? 0 <= 513, message.errorCode?.reason.utf8.count ?? 0 <= 763 else { return }
        let written = message.bytes(integrity: { MessageAuthentication.hmacSHA1(key: key, $0) })
        let (again, isAuthentic) = written.withUnsafeBytes { bytes in
            let again = try? STUNMessage(parsing: bytes)
            let isAuthentic = again?.verifyIntegrity(of: bytes) { MessageAuthentication.hmacSHA1(key: key, $0) }
            return (again, isAuthentic == true && again?.verifyFingerprint(of: bytes) == true)
        }
        try require(isAuthentic, "the written message is not authentic: \(message)")
        try require(
            again?.attributes == message.attributes && again?.transaction == message.transaction
                && again?.method == message.method && again?.messageClass == message.messageClass,
            "\(message) is read as \(String(describing: again))")
    }
}

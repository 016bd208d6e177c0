import COpenSSL
import Cryptography

/// The shared secret of an encrypted session, which the relay never gets: 32 bytes, from which each sender's keys are derived.
public struct EncryptionSecret: Sendable, Hashable {
    /// Bytes of a secret.
    public static let length = 32
    /// Rounds of PBKDF2 for a passphrase: the relay sees ciphertext and could try words.
    public static let iterations: Int32 = 600_000

    /// Epoch of a secret that participants enter, in the key ids of its frames.
    public static let epoch: UInt8 = 1

    let bytes: [UInt8]

    /// - Throws: `invalidKey` unless there are 32 bytes.
    public init(bytes: [UInt8]) throws(SFrameFailure) {
        guard bytes.count == Self.length else { throw .invalidKey }
        self.bytes = bytes
    }

    /// Reads the 64 hexadecimal digits of a secret.
    /// - Returns: nil for any other text, such as a passphrase.
    public init?(hexadecimal text: String) {
        let digits = Array(text.utf8)
        guard digits.count == 2 * Self.length, digits.allSatisfy({ $0 < 0x80 }) else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = Self.value(ofDigit: digits[index]), let low = Self.value(ofDigit: digits[index + 1]) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        self.bytes = bytes
    }

    private static func value(ofDigit digit: UInt8) -> UInt8? {
        switch digit {
        case 0x30...0x39: digit - 0x30
        case 0x41...0x46: digit - 0x41 + 10
        case 0x61...0x66: digit - 0x61 + 10
        default: nil
        }
    }

    /// Stretches a passphrase: PBKDF2-HMAC-SHA-256 with the session's name in lower case as salt. It is slow on
    /// purpose: do not call it on a thread that must not wait.
    ///
    /// - Throws: `invalidKey` if the passphrase is empty.
    public init(passphrase: String, sessionName: String) throws(SFrameFailure) {
        guard !passphrase.isEmpty else { throw .invalidKey }
        let salt = Array("\(Self.label)\(sessionName.lowercased())".utf8)
        var output = [UInt8](repeating: 0, count: Self.length)
        let passphrase = Array(passphrase.utf8)
        let derived = passphrase.withUnsafeBytes {
            PKCS5_PBKDF2_HMAC(
                $0.baseAddress?.assumingMemoryBound(to: CChar.self), Int32($0.count), salt, Int32(salt.count),
                Self.iterations, EVP_sha256(),
                Int32(Self.length), &output)
        }
        guard derived == 1 else { throw .library }
        bytes = output
    }

    /// The base key of one sender. It depends on the connection, so that the relay cannot pass off one participant's frames as those of
    /// another.
    ///
    /// - Parameters:
    ///   - session: id of the session.
    ///   - connection: connection id of the publisher.
    public func baseKey(session: String, connection: String) throws(SFrameFailure) -> [UInt8] {
        HKDF.key(
            bytes, salt: Array(session.utf8), info: Array("\(Self.label) sender\0\(connection)".utf8),
            count: Self.length, .sha256)
    }

    /// First part of every derivation's context.
    static let label = "millrace-e2ee-1"
}

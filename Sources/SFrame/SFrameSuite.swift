import Cryptography

/// A cipher suite of SFrame (RFC 9605 section 4.5); the raw value is its registered number.
public enum SFrameSuite: UInt16, Sendable, CaseIterable {
    case aes128CTRHMAC80 = 1
    case aes128CTRHMAC64 = 2
    case aes128CTRHMAC32 = 3
    case aes128GCM = 4
    case aes256GCM = 5

    /// Bytes of the authentication tag (Nt).
    public var tagLength: Int {
        switch self {
        case .aes128CTRHMAC80: 10
        case .aes128CTRHMAC64: 8
        case .aes128CTRHMAC32: 4
        case .aes128GCM, .aes256GCM: 16
        }
    }

    /// Bytes of the cipher's key (Nka).
    var cipherKeyLength: Int { self == .aes256GCM ? 32 : 16 }

    /// Bytes of the derived key (Nk): the cipher's key, followed by the key of HMAC in suites that use it.
    var keyLength: Int { isAEAD ? cipherKeyLength : cipherKeyLength + HMACSHA256.digestLength }

    /// Whether the cipher authenticates by itself. In the other suites HMAC-SHA-256 does (section 4.5.1).
    var isAEAD: Bool { self == .aes128GCM || self == .aes256GCM }

    /// The hash of HKDF.
    var hash: HashFunction { self == .aes256GCM ? .sha512 : .sha256 }
}

import Cryptography
import Foundation

/// MD5 of decoded frames, by which codec test vectors identify them.
package enum Fingerprint {
    /// 32 lower-case hexadecimal digits.
    package static func md5(_ bytes: [UInt8]) -> String {
        HashFunction.md5.digest(of: bytes).map { String(format: "%02x", $0) }.joined()
    }
}

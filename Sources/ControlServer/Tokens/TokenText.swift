import Cryptography
import Foundation
import MillraceTokens

/// Token in compact serialization (RFC 7515 section 3.1), parsed and not verified.
struct TokenText {
    /// Maximum size of a token.
    static let maximumBytes = TokenClaims.maximumBytes

    struct Malformed: Error {
        let reason: String
    }

    /// Header fields that the verification depends on.
    struct Header: Decodable {
        var alg: String
        /// Extensions that must be understood (RFC 7515 section 4.1.11); the relay knows none.
        var crit: [String]?
    }

    let header: Header
    let payload: Data
    /// Header and payload as they were sent, which the signature covers (RFC 7515 section 5.2).
    let signed: [UInt8]
    let signature: [UInt8]
    /// SHA-256 of the signed text. A signature has several spellings in base64; the signed text has one.
    let fingerprint: String

    init(_ text: String) throws(Malformed) {
        let length = text.utf8.count
        guard length <= Self.maximumBytes else {
            throw Malformed(reason: "it has \(length) bytes, at most \(Self.maximumBytes) are allowed")
        }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 else { throw Malformed(reason: "it has \(parts.count) parts instead of three") }
        guard let head = Self.decoded(parts[0]) else { throw Malformed(reason: "its header is not base64url") }
        guard let payload = Self.decoded(parts[1]) else { throw Malformed(reason: "its payload is not base64url") }
        guard let signature = Self.decoded(parts[2]) else { throw Malformed(reason: "its signature is not base64url") }
        guard let header = try? JSONDecoder().decode(Header.self, from: head) else {
            throw Malformed(reason: "its header is not a JSON object with alg")
        }
        guard header.crit == nil else { throw Malformed(reason: "its header has critical extensions") }
        self.header = header
        self.payload = payload
        self.signature = Array(signature)
        signed = Array(text.utf8.prefix(parts[0].utf8.count + 1 + parts[1].utf8.count))
        fingerprint = HashFunction.sha256.digest(of: signed).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }

    /// Decodes base64url without padding (RFC 7515 section 2).
    private static func decoded(_ text: Substring) -> Data? {
        var base64 = ""
        base64.reserveCapacity(text.utf8.count + 3)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                base64.unicodeScalars.append(Unicode.Scalar(byte))
            case UInt8(ascii: "-"): base64 += "+"
            case UInt8(ascii: "_"): base64 += "/"
            default: return nil
            }
        }
        base64 += String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
        return Data(base64Encoded: base64)
    }
}

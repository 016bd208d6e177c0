import COpenSSL

/// Base64 with padding (RFC 4648 section 4).
package enum Base64 {
    package static func encode(_ bytes: [UInt8]) -> String {
        var encoded = [UInt8](repeating: 0, count: (bytes.count + 2) / 3 * 4 + 1)
        let length = EVP_EncodeBlock(&encoded, bytes, Int32(bytes.count))
        return String(decoding: encoded.prefix(Int(length)), as: UTF8.self)
    }

    /// Returns the bytes of a text; nil unless it is exactly what `encode` returns for them.
    package static func decode(_ text: String) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count % 4 == 0, digits.count <= Int(Int32.max) else { return nil }
        guard !digits.isEmpty else { return [] }
        var decoded = [UInt8](repeating: 0, count: digits.count / 4 * 3)
        guard EVP_DecodeBlock(&decoded, digits, Int32(digits.count)) == Int32(decoded.count) else {
            ERR_clear_error()
            return nil
        }
        decoded.removeLast(digits.suffix(2).count { $0 == UInt8(ascii: "=") })
        // OpenSSL also takes white space, and bits that padding cuts off.
        return encode(decoded) == text ? decoded : nil
    }
}

import COpenSSL

/// Keyed hashes for higher layers that do not otherwise need OpenSSL.
package enum MessageAuthentication {
    /// Returns the HMAC-SHA1 (RFC 2104) of a message: 20 bytes. Used for STUN's MESSAGE-INTEGRITY (RFC 5389 section 15.4).
    /// - Parameter key: key of any length.
    package static func hmacSHA1(key: [UInt8], _ message: UnsafeRawBufferPointer) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: 20)
        var length: UInt32 = 0
        let worked = message.withMemoryRebound(to: UInt8.self) { message in
            // An empty buffer has no base address. HMAC would take nil for a request to continue with an earlier key.
            var none: UInt8 = 0
            return withUnsafePointer(to: &none) { none in
                HMAC(EVP_sha1(), key, Int32(key.count), message.baseAddress ?? none, message.count, &code, &length)
            } != nil
        }
        precondition(worked && length == 20, "libcrypto has no HMAC-SHA1")
        return code
    }
}

import COpenSSL

/// Keyed hashes for the layers above that have no other need of OpenSSL.
package enum MessageAuthentication {
    /// HMAC-SHA1 (RFC 2104) of a whole message: 20 bytes. STUN's MESSAGE-INTEGRITY is one (RFC 5389 section 15.4).
    /// - Parameter key: of any length.
    package static func hmacSHA1(key: [UInt8], _ message: UnsafeRawBufferPointer) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: 20)
        var length: UInt32 = 0
        let worked = message.withMemoryRebound(to: UInt8.self) { message in
            // An empty message has no address, which HMAC would take for a request to go on with an older one.
            var none: UInt8 = 0
            return withUnsafePointer(to: &none) { none in
                HMAC(EVP_sha1(), key, Int32(key.count), message.baseAddress ?? none, message.count, &code, &length)
            } != nil
        }
        precondition(worked && length == 20, "libcrypto has no HMAC-SHA1")
        return code
    }
}

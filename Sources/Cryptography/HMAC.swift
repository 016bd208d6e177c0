import COpenSSL

/// Keyed hash of a message (RFC 2104).
package enum HMAC {
    /// Returns the code of a message: `function.length` bytes.
    /// - Parameter key: key of any length.
    package static func code(of message: [UInt8], key: [UInt8], _ function: HashFunction) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: function.length)
        // OpenSSL takes a null key for one that it has already, so an empty one needs an address. HMAC pads keys with zeros.
        let key = key.isEmpty ? [0] : key
        let result = COpenSSL.HMAC(function.algorithm, key, Int32(key.count), message, message.count, &code, nil)
        precondition(result != nil, "libcrypto has no HMAC with \(function)")
        return code
    }

    /// Returns whether `code` is that of the message, after a time that does not depend on the first difference.
    package static func isValid(_ code: [UInt8], of message: [UInt8], key: [UInt8], _ function: HashFunction) -> Bool {
        ConstantTime.areEqual(code, self.code(of: message, key: key, function))
    }
}

internal import COpenSSL

/// HKDF (RFC 5869) of OpenSSL, in its two steps and in one.
enum HKDF {
    enum Hash {
        case sha256, sha512

        fileprivate var name: String { self == .sha256 ? "SHA256" : "SHA512" }
        /// Bytes of a digest.
        var length: Int { self == .sha256 ? 32 : 64 }
    }

    /// The pseudorandom key of `inputKey`; `hash.length` bytes.
    static func extract(_ inputKey: [UInt8], salt: [UInt8], _ hash: Hash) throws(SFrameFailure) -> [UInt8] {
        try derive(hash.length, inputKey, hash, mode: EVP_KDF_HKDF_MODE_EXTRACT_ONLY, salt: salt, info: [])
    }

    /// `count` bytes of output key for the use that `info` names.
    static func expand(_ pseudorandomKey: [UInt8], info: [UInt8], count: Int, _ hash: Hash) throws(SFrameFailure)
        -> [UInt8]
    {
        try derive(count, pseudorandomKey, hash, mode: EVP_KDF_HKDF_MODE_EXPAND_ONLY, salt: [], info: info)
    }

    /// Both steps.
    static func key(_ inputKey: [UInt8], salt: [UInt8], info: [UInt8], count: Int, _ hash: Hash) throws(SFrameFailure)
        -> [UInt8]
    {
        try derive(count, inputKey, hash, mode: EVP_KDF_HKDF_MODE_EXTRACT_AND_EXPAND, salt: salt, info: info)
    }

    private static func derive(
        _ count: Int, _ key: [UInt8], _ hash: Hash, mode: Int32, salt: [UInt8], info: [UInt8]
    ) throws(SFrameFailure) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: count)
        guard let function = EVP_KDF_fetch(nil, "HKDF", nil) else { throw .library }
        defer { EVP_KDF_free(function) }
        guard let context = EVP_KDF_CTX_new(function) else { throw .library }
        defer { EVP_KDF_CTX_free(context) }
        var mode = mode
        // OpenSSL copies what the parameters point to.
        var key = key
        var salt = salt
        var info = info
        let derived = hash.name.withCString { name in
            key.withUnsafeMutableBytes { key in
                salt.withUnsafeMutableBytes { salt in
                    info.withUnsafeMutableBytes { info in
                        withUnsafeMutablePointer(to: &mode) { mode in
                            let parameters = [
                                OSSL_PARAM_construct_int("mode", mode),
                                OSSL_PARAM_construct_utf8_string("digest", UnsafeMutablePointer(mutating: name), 0),
                                OSSL_PARAM_construct_octet_string("key", key.baseAddress, key.count),
                                OSSL_PARAM_construct_octet_string("salt", salt.baseAddress, salt.count),
                                OSSL_PARAM_construct_octet_string("info", info.baseAddress, info.count),
                                OSSL_PARAM_construct_end(),
                            ]
                            return EVP_KDF_derive(context, &output, count, parameters)
                        }
                    }
                }
            }
        }
        guard derived == 1 else { throw .library }
        return output
    }
}

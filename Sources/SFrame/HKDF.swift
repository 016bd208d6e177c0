import COpenSSL

/// HKDF (RFC 5869) over HMAC of OpenSSL, in its two steps and in one.
enum HKDF {
    enum Hash {
        case sha256, sha512

        /// Bytes of a digest.
        var length: Int { self == .sha256 ? 32 : 64 }
    }

    /// The pseudorandom key of `inputKey`; `hash.length` bytes. Without a salt HMAC takes zero bytes instead.
    static func extract(_ inputKey: [UInt8], salt: [UInt8], _ hash: Hash) throws(SFrameFailure) -> [UInt8] {
        try code(of: inputKey, key: salt, hash)
    }

    /// `count` bytes of output key for the use that `info` names; at most 255 digests.
    static func expand(_ pseudorandomKey: [UInt8], info: [UInt8], count: Int, _ hash: Hash) throws(SFrameFailure)
        -> [UInt8]
    {
        var output: [UInt8] = []
        var block: [UInt8] = []
        var number: UInt8 = 0
        while output.count < count {
            number += 1
            block = try code(of: block + info + [number], key: pseudorandomKey, hash)
            output += block
        }
        return Array(output.prefix(count))
    }

    /// Both steps.
    static func key(
        _ inputKey: [UInt8], salt: [UInt8], info: [UInt8], count: Int, _ hash: Hash
    ) throws(SFrameFailure) -> [UInt8] {
        try expand(extract(inputKey, salt: salt, hash), info: info, count: count, hash)
    }

    private static func code(of message: [UInt8], key: [UInt8], _ hash: Hash) throws(SFrameFailure) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: hash.length)
        // OpenSSL takes a null key for one that it has already, so an empty one needs an address.
        let key = key.isEmpty ? [UInt8](repeating: 0, count: hash.length) : key
        let algorithm = hash == .sha256 ? EVP_sha256() : EVP_sha512()
        guard HMAC(algorithm, key, Int32(key.count), message, message.count, &digest, nil) != nil else {
            throw .library
        }
        return digest
    }
}

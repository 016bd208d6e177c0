/// HKDF (RFC 5869), in its two steps and in one.
package enum HKDF {
    /// Maximum bytes of output key for a hash function (RFC 5869 section 2.3).
    private static func limit(_ function: HashFunction) -> Int { 255 * function.length }

    /// Returns the pseudorandom key of `inputKey`; `function.length` bytes. Without a salt HMAC takes zero bytes instead.
    package static func extract(_ inputKey: [UInt8], salt: [UInt8], _ function: HashFunction) -> [UInt8] {
        HMAC.code(of: inputKey, key: salt, function)
    }

    /// Returns `count` bytes of output key for the use that `info` names; at most 255 digests.
    package static func expand(
        _ pseudorandomKey: [UInt8], info: [UInt8], count: Int, _ function: HashFunction
    ) -> [UInt8] {
        precondition(count <= limit(function), "HKDF makes at most 255 digests")
        var output: [UInt8] = []
        var block: [UInt8] = []
        var number: UInt8 = 0
        while output.count < count {
            number += 1
            block = HMAC.code(of: block + info + [number], key: pseudorandomKey, function)
            output += block
        }
        return Array(output.prefix(count))
    }

    /// Both steps.
    package static func key(
        _ inputKey: [UInt8], salt: [UInt8], info: [UInt8], count: Int, _ function: HashFunction
    ) -> [UInt8] {
        expand(extract(inputKey, salt: salt, function), info: info, count: count, function)
    }
}

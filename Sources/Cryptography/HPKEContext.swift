/// Key of the messages from one sender to one receiver, each under its own nonce (RFC 9180 section 5.2).
struct HPKEContext {
    let key: [UInt8]
    let baseNonce: [UInt8]
    /// Number of the next message.
    var sequence: UInt64 = 0

    init(key: [UInt8], baseNonce: [UInt8]) {
        self.key = key
        self.baseNonce = baseNonce
    }

    mutating func seal(_ plaintext: [UInt8], associatedData: [UInt8]) throws(HPKEFailure) -> [UInt8] {
        guard sequence < .max else { throw .messageLimit }
        let sealed = try AES128GCM.seal(plaintext, key: key, nonce: nonce, associatedData: associatedData)
        sequence += 1
        return sealed
    }

    mutating func open(_ sealed: [UInt8], associatedData: [UInt8]) throws(HPKEFailure) -> [UInt8] {
        guard sequence < .max else { throw .messageLimit }
        let plaintext = try AES128GCM.open(sealed, key: key, nonce: nonce, associatedData: associatedData)
        sequence += 1
        return plaintext
    }

    private var nonce: [UInt8] {
        var nonce = baseNonce
        for index in 0..<8 {
            nonce[nonce.count - 1 - index] ^= UInt8(truncatingIfNeeded: sequence >> UInt64(8 * index))
        }
        return nonce
    }
}

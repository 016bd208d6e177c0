/// The form of this application's key ids: seven bytes, of which the first is the epoch of the secret and the others are random.
enum SFrameKeyID {
    /// A new id. No two encoders get the same, so counters need not be stored when a stream is published again.
    static func make(epoch: UInt8, using generator: inout some RandomNumberGenerator) -> UInt64 {
        // The epoch 0 would make the id shorter than seven bytes; epochs begin at 1.
        UInt64(epoch) << 48 | UInt64.random(in: 0..<1 << 48, using: &generator)
    }

    /// The epoch of an id, or nil if it does not have this form.
    static func epoch(_ keyID: UInt64) -> UInt8? {
        keyID >> 56 == 0 && keyID >> 48 != 0 ? UInt8(keyID >> 48) : nil
    }
}

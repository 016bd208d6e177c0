/// Why a frame was not sealed or not opened. No payload, so that throwing one for each frame of a flood allocates nothing.
public enum SFrameFailure: Error, Sendable, Equatable, CaseIterable {
    /// The frame has no header of this application's form: most likely it was sent without encryption.
    case notEncrypted
    /// A video frame to be sealed is shorter than the bytes that stay in the clear.
    case malformed
    /// There is no secret for the epoch that the key id names, or no secret at all.
    case unknownEpoch
    /// The tag does not match: another secret, another sender, another kind of media, or bytes changed on the way.
    case authentication
    /// The counter was used by an earlier frame, or is too old to tell.
    case replay
    /// More new key ids in one second than a sender can need.
    case tooManyKeys
    /// The counter of a key has reached its end.
    case keyExpired
    /// The key has a wrong length.
    case invalidKey
    /// OpenSSL refused; never caused by the content of a frame.
    case library
}

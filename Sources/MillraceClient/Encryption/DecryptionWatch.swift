import MediaBase

/// Decides when the application learns that frames cannot be decrypted, and when their video is switched off. A decrypted frame replaces it
/// by a new one.
struct DecryptionWatch {
    enum Action: Hashable {
        case report(EncryptionFailure)
        /// The relay has to stop sending the video, because nothing of it can be used.
        case stopVideo
    }

    /// Failed frames in a row that are reported at once.
    static let frames = 5
    /// Time without a decrypted frame after which fewer failed frames are reported.
    static let patience = MediaTime.seconds(1)
    /// The same for keys that participants agree on, which come a moment after a join.
    static let agreementPatience = MediaTime.seconds(3)
    /// Time without a decrypted frame after which the video is switched off.
    static let videoPatience = MediaTime.seconds(3)

    private var failures = 0
    private var since: MediaTime?
    private var reported: EncryptionFailure?
    private var isStopped = false

    /// Notes a frame that could not be decrypted.
    /// - Parameter isAgreed: whether participants agree on keys.
    mutating func failed(_ failure: EncryptionFailure, isAgreed: Bool = false, now: MediaTime) -> Action? {
        failures = min(failures + 1, Self.frames)
        let start = since ?? now
        since = start
        let isExpected = isAgreed && failure == .noSecret
        let patience = isExpected ? Self.agreementPatience : Self.patience
        if reported != failure, failures >= Self.frames && !isExpected || now - start >= patience {
            reported = failure
            return .report(failure)
        }
        if !isStopped, now - start >= Self.videoPatience, reported != nil {
            isStopped = true
            return .stopVideo
        }
        return nil
    }
}

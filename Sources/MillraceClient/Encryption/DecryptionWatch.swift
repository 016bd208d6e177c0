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
    /// Time without a decrypted frame after which the video is switched off.
    static let videoPatience = MediaTime.seconds(3)

    private var failures = 0
    private var since: MediaTime?
    private var reported: EncryptionFailure?
    private var isStopped = false

    /// Notes a frame that could not be decrypted.
    mutating func failed(_ failure: EncryptionFailure, now: MediaTime) -> Action? {
        failures = min(failures + 1, Self.frames)
        let start = since ?? now
        since = start
        if reported != failure, failures >= Self.frames || now - start >= Self.patience {
            reported = failure
            return .report(failure)
        }
        if !isStopped, now - start >= Self.videoPatience {
            isStopped = true
            return .stopVideo
        }
        return nil
    }
}

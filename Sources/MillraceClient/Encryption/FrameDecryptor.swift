import MediaBase
import SFrame

/// Decrypts the frames of one subscribed stream. Confined to the media thread.
final class FrameDecryptor {
    private let video = SFrameOpener(.vp8)
    private let audio = SFrameOpener(.opus)
    private var key: FrameKey?
    private var plain: [UInt8] = []

    /// Returns the decrypted frame, or the reason for which it cannot be decrypted; nil as the reason if the frame has to be dropped
    /// without a report, such as a replayed one.
    func open(
        _ frame: UnsafeRawBufferPointer, _ kind: MediaKind, with key: FrameKey?, now: MediaTime
    ) -> (frame: [UInt8]?, failure: EncryptionFailure?) {
        guard let key else { return (nil, .noSecret) }
        if key != self.key {
            video.add(baseKey: key.bytes, epoch: EncryptionSecret.epoch)
            audio.add(baseKey: key.bytes, epoch: EncryptionSecret.epoch)
            self.key = key
        }
        do throws(SFrameFailure) {
            try (kind == .video ? video : audio).open(frame, into: &plain, at: now)
            return (plain, nil)
        } catch {
            switch error {
            case .notEncrypted: return (nil, .notEncrypted)
            case .authentication, .unknownEpoch: return (nil, .wrongSecret)
            case .replay, .tooManyKeys, .malformed, .keyExpired, .invalidKey, .library: return (nil, nil)
            }
        }
    }
}

package import MediaBase
import SFrame

/// Decrypts the frames of one subscribed stream. Confined to one thread.
package final class FrameDecryptor {
    private let video = SFrameOpener(.vp8)
    private let audio = SFrameOpener(.opus)
    private var epochs: [FrameKey] = []
    private var plain: [UInt8] = []

    package init() {}

    /// Returns the decrypted frame, or the reason for which it cannot be decrypted; nil as the reason if the frame has to be dropped
    /// without a report, such as a replayed one.
    package func open(
        _ frame: UnsafeRawBufferPointer, _ kind: MediaKind, with keys: FrameKeys, now: MediaTime
    ) -> (frame: [UInt8]?, failure: EncryptionFailure?) {
        if keys.epochs != epochs { use(keys.epochs) }
        guard !epochs.isEmpty else { return (nil, .noSecret) }
        do throws(SFrameFailure) {
            try (kind == .video ? video : audio).open(frame, into: &plain, at: now)
            return (plain, nil)
        } catch {
            switch error {
            case .notEncrypted: return (nil, .notEncrypted)
            case .authentication: return (nil, .wrongSecret)
            case .unknownEpoch: return (nil, keys.isAgreed ? .noSecret : .wrongSecret)
            case .replay, .tooManyKeys, .malformed, .keyExpired, .invalidKey, .library: return (nil, nil)
            }
        }
    }

    /// Replaces the keys that have changed. The counters seen under the others are kept, or the relay could have frames played again.
    private func use(_ new: [FrameKey]) {
        for key in epochs where !new.contains(where: { $0.epoch == key.epoch }) {
            video.remove(epoch: key.epoch)
            audio.remove(epoch: key.epoch)
        }
        for key in new where !epochs.contains(key) {
            video.add(baseKey: key.bytes, epoch: key.epoch)
            audio.add(baseKey: key.bytes, epoch: key.epoch)
        }
        epochs = new
    }
}

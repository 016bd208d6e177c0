package import MediaBase
import SFrame

/// Encrypts the frames of one publisher. Confined to one thread.
///
/// All encodings of the video share one sealer and its counter, so that no counter is used twice under a key.
package final class FrameEncryptor {
    private var video: SFrameSealer?
    private var audio: SFrameSealer?
    private var key: FrameKey?
    private var sealed: [UInt8] = []

    package init() {}

    /// Returns the encrypted frame; nil if it cannot be encrypted, in which case it must not be sent.
    package func seal(_ frame: [UInt8], _ kind: MediaKind, with key: FrameKey) -> [UInt8]? {
        if key != self.key {
            video = try? SFrameSealer(.vp8, epoch: key.epoch, baseKey: key.bytes)
            audio = try? SFrameSealer(.opus, epoch: key.epoch, baseKey: key.bytes)
            self.key = key
        }
        guard let sealer = kind == .video ? video : audio else { return nil }
        do {
            try frame.withUnsafeBytes { try sealer.seal($0, into: &sealed) }
            return sealed
        } catch {
            return nil
        }
    }
}

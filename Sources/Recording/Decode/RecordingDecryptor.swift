import MediaBase
package import SFrame

/// Decrypts the frames of a recording that was encrypted end to end.
package final class RecordingDecryptor {
    private let video = SFrameOpener(.vp8)
    private let audio = SFrameOpener(.opus)
    private var plain: [UInt8] = []

    /// - Throws: `SFrameFailure` if the key cannot be derived.
    package init(_ secret: EncryptionSecret, of encryption: RecordingEncryption) throws(SFrameFailure) {
        let key = try secret.baseKey(session: encryption.session, connection: encryption.publisher)
        video.add(baseKey: key, epoch: EncryptionSecret.epoch)
        audio.add(baseKey: key, epoch: EncryptionSecret.epoch)
    }

    /// Replaces the packet's bytes by the frame that they hold.
    func open(_ packet: inout EncodedPacket) throws(SFrameFailure) {
        let opener = packet.kind == .video ? video : audio
        let sealed = packet.bytes
        let result: Result<Void, SFrameFailure> = sealed.withUnsafeBytes { bytes in
            do throws(SFrameFailure) {
                try opener.open(bytes, into: &plain, at: packet.time)
                return .success(())
            } catch {
                return .failure(error)
            }
        }
        try result.get()
        packet.bytes = plain
    }
}

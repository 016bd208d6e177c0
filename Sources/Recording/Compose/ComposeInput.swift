import Containers
import MediaBase

/// A recorded file that is being read, with its next frame.
final class ComposeInput {
    struct Head {
        /// Index of the composed track.
        var track: Int
        var kind: MediaKind
        /// Time by the relay's wall clock, since 1970.
        var time: MediaTime
        var isKeyFrame: Bool
        var bytes: [UInt8]
    }

    let file: ComposeFile
    /// Position of the file in the plan.
    let index: Int
    private let reader: WebMReader
    private let decryptor: RecordingDecryptor?
    private(set) var head: Head?
    private(set) var undecryptable = 0
    let isBeingWritten: Bool

    var damage: DamageLog { reader.damage }
    var isCutOff: Bool { reader.isCutOff }
    var position: Int64 { reader.position }

    init(_ file: ComposeFile, index: Int, decryptor: RecordingDecryptor?) throws(ContainerError) {
        self.file = file
        self.index = index
        self.decryptor = decryptor
        let source = try FileSource(path: file.path)
        isBeingWritten = source.isBeingWritten
        reader = try WebMReader(source: source)
    }

    /// Reads the next frame of the file's tracks into `head`; nil at the end.
    func advance() throws(ContainerError) {
        head = nil
        while head == nil, let frame = try reader.next() {
            guard let sourceIndex = file.sources.firstIndex(where: { $0.number == frame.track }), !frame.bytes.isEmpty,
                let bytes = decrypted(frame, kind(sourceIndex))
            else { continue }
            head = Head(
                track: file.tracks[sourceIndex], kind: kind(sourceIndex), time: file.relayTime(frame.timestamp),
                isKeyFrame: kind(sourceIndex) == .audio || frame.isKeyframe, bytes: bytes)
        }
    }

    private func kind(_ sourceIndex: Int) -> MediaKind {
        if case .video = file.sources[sourceIndex].media { .video } else { .audio }
    }

    private func decrypted(_ frame: WebMFrame, _ kind: MediaKind) -> [UInt8]? {
        guard let decryptor else { return frame.bytes }
        var packet = EncodedPacket(
            kind: kind, time: frame.timestamp, isKeyFrame: frame.isKeyframe, position: frame.position,
            bytes: frame.bytes)
        do {
            try decryptor.open(&packet)
            return packet.bytes
        } catch {
            undecryptable += 1
            return nil
        }
    }
}

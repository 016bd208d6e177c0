import MillraceClient
import RTP

/// End-to-end encryption of one publisher's media, by the SDK's encryptor; confined to a thread. Publishers that share a source encrypt
/// its frames under keys of their own, so each packetizes them itself.
struct FrameSealer {
    private let key: FrameKey
    private let encryptor = FrameEncryptor()
    private var packetizers: [VP8Packetizer]

    init(_ key: FrameKey, encodings: Int) {
        self.key = key
        packetizers = Array(
            repeating: VP8Packetizer(maximumPayloadLength: VideoSource.maximumPayloadLength), count: encodings)
    }

    /// Returns the encrypted Opus packet; nil if it cannot be encrypted and must not be sent.
    func audio(_ packet: [UInt8]) -> [UInt8]? { encryptor.seal(packet, .audio, with: key) }

    /// Returns the RTP payloads of the encrypted VP8 frame; nil if it cannot be encrypted and must not be sent.
    mutating func payloads(of frame: [UInt8], encoding: Int) -> [[UInt8]]? {
        encryptor.seal(frame, .video, with: key).map { packetizers[encoding].payloads(of: $0) }
    }
}

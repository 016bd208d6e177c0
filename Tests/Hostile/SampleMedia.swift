import Codecs
import MediaBase
import TestMedia

/// Valid VP8 frames and Opus packets, the source of hostile ones.
struct SampleMedia {
    /// 60 frames with two temporal layers; frames 0 and 30 are key frames.
    let frames: [[UInt8]]
    /// 50 Opus packets of 20 ms: one second of audio.
    let packets: [[UInt8]]

    static let keyFrameInterval = 30

    init(width: Int = 320, height: Int = 180) throws {
        var configuration = VP8EncoderConfiguration(width: width, height: height, bitrate: .kilobits(200))
        configuration.temporalLayers = 2
        configuration.keyFrameInterval = Self.keyFrameInterval
        let encoder = try VP8Encoder(configuration)
        let drawing = TestVideo(width: width, height: height)
        var frames: [[UInt8]] = []
        for number in 0..<60 {
            let bar = FrameBar(counter: UInt32(number), captureMicroseconds: UInt64(number) * 33_333)
            let encoded = try encoder.encode(
                drawing.frame(bar), timestamp: Int64(number) * 3_000,
                forceKeyFrame: number % Self.keyFrameInterval == 0)
            if let encoded { frames.append(encoded.bytes) }
        }
        self.frames = frames
        let opus = try OpusEncoder(channels: 2, bitrate: .kilobits(48))
        var packets: [[UInt8]] = []
        for number in 0..<50 {
            packets.append(try opus.encode(TestTone().block(start: Int64(number) * 960, frames: 960)))
        }
        self.packets = packets
    }
}

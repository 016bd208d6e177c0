import MediaBase
import MillraceTestKit
import RTP
import Testing

/// Video packets that another program sent, with the frames that another depacketizer read from them (`Tests/Vectors/captures`).
struct RecordedVideo: Sendable {
    struct Packet: Hashable, Sendable {
        var header: RTPHeader
        var timestamp: Int64
        var payload: [UInt8]
        /// The whole datagram.
        var bytes: [UInt8]
    }

    struct Frame: Hashable, Sendable {
        var timestamp: Int64
        var isKeyFrame: Bool
        var length: Int
        /// MD5 of the frame's bytes. Spatial layers are concatenated.
        var digest: String
    }

    /// Expected properties of a recording.
    struct Sample: Sendable, CustomTestStringConvertible {
        var name: String
        var codec: VideoCodec
        var width: UInt16
        var height: UInt16
        /// Temporal layer of each frame; empty if all frames are in the base layer.
        var temporalLayers: [UInt8] = []
        var spatialLayers = 1

        var testDescription: String { name }
    }

    static let samples = [
        Sample(name: "chromium-156-h264", codec: .h264, width: 64, height: 48),
        Sample(name: "ffmpeg-5.1-h264", codec: .h264, width: 66, height: 50),
        Sample(name: "gstreamer-1.22-h264", codec: .h264, width: 66, height: 50),
        Sample(name: "chromium-156-vp9", codec: .vp9, width: 64, height: 48),
        Sample(
            name: "chromium-156-vp9-layers", codec: .vp9, width: 480, height: 272, temporalLayers: [0, 2, 1],
            spatialLayers: 2),
        Sample(
            name: "chromium-156-vp9-descriptor", codec: .vp9, width: 480, height: 272, temporalLayers: [0, 1],
            spatialLayers: 2),
        Sample(name: "ffmpeg-5.1-vp9", codec: .vp9, width: 66, height: 50),
        Sample(name: "gstreamer-1.22-vp9", codec: .vp9, width: 66, height: 50),
        Sample(name: "chromium-156-av1", codec: .av1, width: 64, height: 48),
        Sample(name: "chromium-156-av1-layers", codec: .av1, width: 96, height: 64),
    ]

    var packets: [Packet]
    var frames: [Frame]

    init(_ name: String) throws {
        let path = "captures/\(name).hex"
        packets = try TestVector.datagrams(path, "rtp").map { bytes in
            let header = try bytes.withUnsafeBytes { try RTPHeader(parsing: $0) }
            return Packet(
                header: header, timestamp: Int64(header.timestamp.rawValue),
                payload: Array(bytes[header.payloadOffset..<(header.payloadOffset + header.payloadLength)]),
                bytes: bytes)
        }
        frames = try TestVector.text(path).split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            guard words.count == 5, words[0] == "frame", let timestamp = Int64(words[1]), let length = Int(words[3])
            else { return nil }
            return Frame(
                timestamp: timestamp, isKeyFrame: words[2] == "key", length: length, digest: String(words[4]))
        }
    }

    /// Payloads of all recordings of a codec, as a corpus for damaged inputs.
    static func payloads(_ codec: VideoCodec) throws -> [[UInt8]] {
        try samples.filter { $0.codec == codec }.flatMap { try RecordedVideo($0.name).packets.map(\.payload) }
    }
}

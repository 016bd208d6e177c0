import Codecs
import Foundation
import MediaBase
import MediaEngine
import MillraceTestKit
import RTP

/// A packet of a synthetic stream for a canvas or a tap.
struct SentPacket {
    var kind: MediaKind
    var sequence: Int64
    var timestamp: Int64
    var marker = false
    var arrival: MediaTime
    var captureNTP: UInt64?
    var rotation = Rotation.none
    var payload: [UInt8]

    func feed<R>(_ body: (borrowing TapPacket) -> R) -> R {
        payload.withUnsafeBytes { bytes in
            body(
                TapPacket(
                    kind: kind, sequence: sequence, timestamp: timestamp, marker: marker, arrival: arrival,
                    captureNTP: captureNTP, rotation: rotation, payload: bytes))
        }
    }
}

/// Packets of synthetic publishers, as a relay receives them.
enum Synthetic {
    /// Returns 30 frames a second from timestamp 90,000 on, first packet at 1 s, one array of packets for each frame.
    static func video(
        width: Int = 160, height: Int = 120, frames: Int, keyFrameInterval: Int? = nil, layers: Int = 1,
        mtu: Int = 300, firstSequence: Int64 = 1000, firstFrame: Int = 0
    ) throws -> [[SentPacket]] {
        let encoder = try VP8Encoder(
            .init(
                width: width, height: height, bitrate: .kilobits(400), keyFrameInterval: keyFrameInterval,
                temporalLayers: layers))
        let source = MovingImage(width: width, height: height)
        var packetizer = VP8Packetizer(maximumPayloadLength: mtu)
        var sequence = firstSequence
        return try (firstFrame..<firstFrame + frames).map { number in
            guard let frame = try encoder.encode(source.frame(number), timestamp: Int64(number) * 3000) else {
                return []
            }
            let layer = VP8Packetizer.Layer(temporalID: UInt8(frame.temporalLayer), sync: frame.isLayerSync)
            let payloads = packetizer.payloads(
                of: frame.bytes, layer: layers > 1 ? layer : nil, nonReference: !frame.isReference)
            return payloads.indices.map { index in
                defer { sequence += 1 }
                return SentPacket(
                    kind: .video, sequence: sequence, timestamp: 90_000 + Int64(number) * 3000,
                    marker: index == payloads.count - 1,
                    arrival: .seconds(1) + .nanoseconds(Int64(number) * 1_000_000_000 / 30), payload: payloads[index])
            }
        }
    }

    /// Returns 20 ms packets of a tone from timestamp 48,000 on, first packet at 1 s.
    static func audio(
        packets: Int, hertz: Double = 1000, fec: Bool = false, firstSequence: Int64 = 5000
    ) throws -> [SentPacket] {
        let encoder = try OpusEncoder(
            channels: 2, application: fec ? .voice : .audio, bitrate: .kilobits(64), fec: fec,
            expectedLoss: fec ? 20 : 0)
        return try (0..<packets).map { number in
            let samples = (number * 960..<(number + 1) * 960).flatMap { i -> [Int16] in
                let value = Int16(8000 * sin(2 * .pi * hertz * Double(i) / 48_000))
                return [value, value]
            }
            return SentPacket(
                kind: .audio, sequence: firstSequence + Int64(number), timestamp: 48_000 + Int64(number) * 960,
                arrival: .seconds(1) + .milliseconds(Int64(number) * 20),
                payload: try encoder.encode(PCMBlock(channels: 2, samples: samples)))
        }
    }
}

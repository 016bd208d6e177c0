import Codecs
import Foundation
import MediaBase

@testable import Recording

extension TestStream {
    /// A color as YUV.
    struct Color: Equatable {
        var y: UInt8
        var u: UInt8
        var v: UInt8

        static let black = Color(y: 16, u: 128, v: 128)
        static let white = Color(y: 235, u: 128, v: 128)
        static let red = Color(y: 82, u: 90, v: 240)
        static let green = Color(y: 145, u: 54, v: 34)
        static let blue = Color(y: 41, u: 240, v: 110)
    }

    /// Returns encoded frames of one color each, 30 a second.
    static func plain(
        count: Int, width: Int = 320, height: Int = 180, color: (Int) -> Color
    ) throws -> [Encoded] {
        let encoder = try VP8Encoder(
            VP8EncoderConfiguration(width: width, height: height, bitrate: .kilobits(600), keyFrameInterval: 30))
        return try (0..<count).compactMap { index in
            let color = color(index)
            let size = width * height
            let chroma = ((width + 1) / 2) * ((height + 1) / 2)
            let frame = I420Frame(
                width: width, height: height,
                bytes: [UInt8](repeating: color.y, count: size) + [UInt8](repeating: color.u, count: chroma)
                    + [UInt8](repeating: color.v, count: chroma))
            return try encoder.encode(frame, timestamp: Int64(index) * 3_000).map {
                Encoded(bytes: $0.bytes, isKeyFrame: $0.isKeyFrame)
            }
        }
    }

    /// Returns packets of 20 ms: silence, and a tone from packet `start` on.
    static func tone(_ hertz: Double, count: Int, from start: Int = 0, peak: Double = 9_000) throws -> [[UInt8]] {
        let encoder = try OpusEncoder(channels: 2, bitrate: .kilobits(96))
        return try (0..<count).map { packet in
            let samples = (0..<960).flatMap { index -> [Int16] in
                let sample = Double((packet - start) * 960 + index)
                let value = packet < start ? 0 : Int16(peak * sin(2 * Double.pi * hertz * sample / 48_000))
                return [value, value]
            }
            return try encoder.encode(PCMBlock(channels: 2, samples: samples))
        }
    }
}

import Codecs
import Foundation
import MediaBase

@testable import Recording

/// Decoded media of a mixed file.
final class MixedMedia: DecodedMediaConsumer {
    private(set) var frames: [(time: MediaTime, frame: I420Frame)] = []
    /// Left channel, from time zero on.
    private(set) var samples: [Int16] = []
    private(set) var report: DecodeReport?

    static func decode(_ path: String) throws -> MixedMedia {
        let media = MixedMedia()
        media.report = try FileDecoder(path: path).run(to: [media])
        return media
    }

    func take(_ planes: borrowing I420Planes, _ info: DecodedFrame) throws(DecodeError) {
        frames.append((info.time, planes.frame()))
    }

    func take(_ block: PCMBlock) throws(DecodeError) {
        samples += stride(from: 0, to: block.samples.count, by: block.channels).map { block.samples[$0] }
    }

    /// Returns the color of a point at a time, in the newest frame of that time.
    func color(atX x: Int, y: Int, time: Double) throws -> TestStream.Color {
        guard let frame = frames.last(where: { $0.time.seconds <= time + 0.001 })?.frame else {
            throw DecodeError.unsupported("no frame at \(time) s")
        }
        let chroma = (y / 2) * frame.chromaWidth + x / 2
        return TestStream.Color(
            y: frame.bytes[y * frame.width + x], u: frame.bytes[frame.uRange.lowerBound + chroma],
            v: frame.bytes[frame.vRange.lowerBound + chroma])
    }

    /// Returns the share of the energy of a frequency in samples (Goertzel with a Hann window): about 1 for a pure tone.
    static func energy(at hertz: Double, in samples: [Double]) -> Double {
        let step = 2 * cos(2 * .pi * hertz / 48_000)
        var (last, before, total) = (0.0, 0.0, 0.0)
        for (index, sample) in samples.enumerated() {
            let value = sample * (0.5 - 0.5 * cos(2 * .pi * Double(index) / Double(samples.count)))
            total += value * value
            (last, before) = (value + step * last - before, last)
        }
        let power = last * last + before * before - step * last * before
        return total == 0 ? 0 : 3 * power / (total * Double(samples.count))
    }
}

extension TestStream.Color {
    /// Whether the colors look alike after encoding.
    func isNear(_ other: TestStream.Color, by distance: Int = 24) -> Bool {
        abs(Int(y) - Int(other.y)) <= distance && abs(Int(u) - Int(other.u)) <= distance
            && abs(Int(v) - Int(other.v)) <= distance
    }
}

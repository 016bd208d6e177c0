package import MediaBase

/// Estimates a frame rate from the times of a recording, for containers that need a constant rate.
package enum FrameRate {
    /// Returns the nearest common rate within 0.6 %, otherwise a fraction in thousandths.
    package static func snap(_ perSecond: Double) -> (Int, Int) {
        let usual = [5, 8, 10, 12, 15, 20, 24, 25, 30, 48, 50, 60, 90, 100, 120]
        guard perSecond.isFinite, perSecond > 0 else { return (30, 1) }
        if let hit = usual.first(where: { abs(Double($0) - perSecond) / perSecond < 0.0004 }) { return (hit, 1) }
        for film in [24_000, 30_000, 60_000] where abs(Double(film) / 1001 - perSecond) / perSecond < 0.0004 {
            return (film, 1001)
        }
        if let hit = usual.first(where: { abs(Double($0) - perSecond) / perSecond < 0.006 }) { return (hit, 1) }
        return (max(1, Int(min(perSecond, 1000) * 1000)), 1000)
    }

    /// Estimates the rate from the times of the first frames. The median interval is robust against gaps; the mean of
    /// intervals near it is exact although times may be rounded to milliseconds.
    package static func estimate(_ times: [MediaTime]) -> (Int, Int) {
        let steps = zip(times.dropFirst(), times).map { ($0 - $1).seconds }.filter { $0 > 0 }.sorted()
        guard !steps.isEmpty else { return (30, 1) }
        let median = steps[steps.count / 2]
        let near = steps.filter { $0 > median * 0.6 && $0 < median * 1.5 }
        return snap(Double(near.count) / near.reduce(0, +))
    }

    /// Estimates the rate of a file from its first frames, without decoding.
    package static func ofFile(_ path: String) throws(DecodeError) -> (Int, Int) {
        let file = try EncodedFile(path: path)
        if let rate = file.video?.rate { return rate }
        var times: [MediaTime] = []
        // Audio packets lie between the frames; 20,000 packets bound the time for a file with few frames.
        for _ in 0..<20_000 {
            guard times.count < 240, let packet = try file.next() else { break }
            if packet.kind == .video { times.append(packet.time) }
        }
        return estimate(times)
    }
}

import MediaBase

/// Relay time of a file's times, from its clock points: a function of the drift of the publisher's clock.
///
/// Points are on or above the line of the clock, because jitter and congestion only delay packets. The drift is the median of the slopes
/// between points. A point that is higher than a clock of about this drift explains, given another point, is left out, and times between
/// the other points are interpolated. A congested minute therefore does not move the media. The times on both sides of a step
/// (`ClockPoint.since`) are corrected apart.
struct ClockCorrection {
    /// Maximum drift of a clock, in seconds per second. Crystals have less than 200 ppm.
    static let maximumDrift = 0.001
    /// Maximum difference of the drift at any time from that of the file.
    private static let tolerance = 0.000_1
    /// The same for a file in which the drift cannot be measured.
    private static let shortTolerance = 0.000_3
    /// Seconds between the first and last point of a file from which its drift can be measured.
    private static let minimumSpan = 60.0
    /// Maximum number of points of an index from elsewhere; the recorder writes at most 64 of each kind.
    private static let maximumPoints = 256
    /// Seconds without points of audio after which points of video are used.
    private static let maximumGap = 60.0

    private struct Knot {
        var time: Double
        var lag: Double
    }

    /// Part of the file without a step.
    private struct Part {
        var start: Double
        var knots: [Knot]
    }

    /// In order of time, and none without knots.
    private var parts: [Part] = []
    /// Drift in seconds per second of the longest part; used before the first point of each part and after its last one.
    private(set) var drift = 0.0

    var isEmpty: Bool { parts.isEmpty }

    init(_ points: [ClockPoint]) {
        let credible = points.prefix(2 * Self.maximumPoints).filter {
            $0.time.isFinite && $0.lag.isFinite && abs($0.time) < 1e9 && abs($0.lag) < 1e6
        }
        let steps = Set(credible.compactMap(\.since).filter { $0.isFinite && abs($0) < 1e9 }).sorted()
        var start = -Double.infinity
        for (index, step) in ([start] + steps).enumerated() {
            let end = index < steps.count ? steps[index] : .infinity
            let knots = Self.knots(credible.filter { $0.time >= step && $0.time < end })
            // A part without points belongs to the next one, whose step one kind of media has already made.
            if !knots.isEmpty {
                parts.append(Part(start: start, knots: knots))
                start = end
            }
        }
        let spans = parts.map { ($0.knots.last?.time ?? 0) - ($0.knots.first?.time ?? 0) }
        if let longest = spans.indices.max(by: { spans[$0] < spans[$1] }) {
            drift = Self.drift(of: parts[longest].knots) ?? 0
        }
    }

    /// Returns how much later the relay's clock is than the file's start plus `time`.
    func lag(at time: MediaTime) -> MediaTime {
        guard let part = parts.last(where: { $0.start <= time.seconds }) ?? parts.first else { return .zero }
        return .seconds(Self.lag(at: time.seconds, part.knots, drift: drift))
    }

    /// Returns the points of one part that show its clock.
    private static func knots(_ points: [ClockPoint]) -> [Knot] {
        let audio = lowest(points.filter { $0.kind == .audio }.map { Knot(time: $0.time, lag: $0.lag) })
        let video = lowest(points.filter { $0.kind == .video }.map { Knot(time: $0.time, lag: $0.lag) })
        return audio.isEmpty ? video : lowest(audio + additions(video, to: audio))
    }

    /// Returns points of video where those of audio are missing, such as during a mute. They are moved by the difference of both kinds:
    /// an encoder delays video. Returns all points of video if it arrived with less delay, such as after audio that ended while its publisher
    /// sent what it had gathered.
    private static func additions(_ video: [Knot], to audio: [Knot]) -> [Knot] {
        guard let first = audio.first, let last = audio.last, !video.isEmpty else { return [] }
        let common = video.filter { $0.time >= first.time && $0.time <= last.time }
        let compared = common.isEmpty ? Array(video.prefix(1)) : common
        let difference =
            compared.reduce(0) { $0 + $1.lag - lag(at: $1.time, audio, drift: 0) } / Double(compared.count)
        guard difference >= 0 else { return video }
        return video.filter { knot in !audio.contains { abs($0.time - knot.time) < maximumGap } }
            .map { Knot(time: $0.time, lag: $0.lag - difference) }
    }

    /// Returns the points without those that were delayed, in order of time.
    private static func lowest(_ knots: [Knot]) -> [Knot] {
        let measured = drift(of: knots)
        let (slope, slack) = (measured ?? 0, measured == nil ? shortTolerance : tolerance)
        return knots.sorted { $0.time < $1.time }.filter { knot in
            knots.allSatisfy { other in
                let distance = knot.time - other.time
                return knot.lag <= other.lag + slope * distance + slack * abs(distance)
            }
        }
    }

    /// Returns the median of the slopes between points that are far apart; nil if they span too little time.
    private static func drift(of knots: [Knot]) -> Double? {
        guard let first = knots.map(\.time).min(), let last = knots.map(\.time).max(), last - first >= minimumSpan
        else {
            return nil
        }
        var slopes: [Double] = []
        for (index, knot) in knots.enumerated() {
            for other in knots[..<index] where abs(knot.time - other.time) >= (last - first) / 4 {
                slopes.append((knot.lag - other.lag) / (knot.time - other.time))
            }
        }
        slopes.sort()
        return max(-maximumDrift, min(maximumDrift, slopes[slopes.count / 2]))
    }

    private static func lag(at time: Double, _ knots: [Knot], drift: Double) -> Double {
        guard let first = knots.first, let last = knots.last else { return 0 }
        guard time > first.time else { return first.lag - drift * (first.time - time) }
        guard time < last.time else { return last.lag + drift * (time - last.time) }
        // Binary search of the first point after the time.
        var low = 0
        var high = knots.count - 1
        while low < high {
            let middle = (low + high) / 2
            if knots[middle].time > time { high = middle } else { low = middle + 1 }
        }
        let (before, after) = (knots[low - 1], knots[low])
        guard after.time > before.time else { return after.lag }
        return before.lag + (after.lag - before.lag) * (time - before.time) / (after.time - before.time)
    }
}

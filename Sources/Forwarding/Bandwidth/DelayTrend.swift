/// Distinguishes a growing queue from jitter: compares the slope of the smoothed delay over the last groups with an adaptive threshold, so
/// that a flow is not starved by others that fill the same queue (draft-ietf-rmcat-gcc-02 sections 5.3 and 5.4; here the filter is a line
/// fitted by least squares).
struct DelayTrend {
    private static let window = 20
    /// Weight of the past in the smoothed delay.
    private static let smoothing = 0.9
    /// Factor that makes a slope (ms of delay per ms) comparable to a threshold in ms.
    private static let gain = 4.0
    private static let countedAtMost = 60.0
    /// Time for which a queue must grow before overuse is detected, in ms.
    private static let patience = 10.0
    private static let thresholds = 6.0...600.0
    private static let thresholdRise = 0.0087
    private static let thresholdFall = 0.039
    /// A slope that exceeds the threshold by more than this is an outlier, such as a route change, and does not move the threshold.
    private static let outlier = 15.0

    private(set) var usage = DelayUsage.normal
    /// Smoothed change of the spacing between groups on the path, in ms.
    private(set) var jitter = 0.0
    private var threshold = 12.5
    private var lastThreshold: Int64?

    /// Arrival times (ms since the first); `delays` are the smoothed delays (ms).
    private var times = InlineArray<20, Float>(repeating: 0)
    private var delays = InlineArray<20, Float>(repeating: 0)
    private var filled = 0
    private var next = 0
    private var counted = 0.0
    private var first: Int64?
    private var delay = 0.0
    private var smoothed = 0.0

    private var trend = 0.0
    private var over = 0.0
    private var overCount = 0

    mutating func add(_ delta: PacketGroups.Delta) {
        let step = Double(delta.arrival - delta.sent) / 1000
        jitter += (step.magnitude - jitter) / 16
        counted = min(counted + 1, Self.countedAtMost)
        delay += step
        smoothed = Self.smoothing * smoothed + (1 - Self.smoothing) * delay
        // The values have single precision, so the origin moves forward before millisecond precision is lost.
        if let first, delta.at - first < 4_000_000 {
            push(time: Float(delta.at - first) / 1000)
        } else {
            rebase(to: delta.at)
            push(time: 0)
        }
        let previous = trend
        if filled == Self.window, let slope { trend = slope }
        detect(interval: Double(delta.sent) / 1000, previous: previous, at: delta.at)
    }

    /// Discards the samples after a pause, since they do not apply to what follows.
    mutating func reset() {
        filled = 0
        next = 0
        counted = 0
        first = nil
        delay = 0
        smoothed = 0
        trend = 0
        over = 0
        overCount = 0
        usage = .normal
    }

    private mutating func push(time: Float) {
        times[next] = time
        delays[next] = Float(smoothed)
        next = (next + 1) % Self.window
        filled = min(filled + 1, Self.window)
    }

    private mutating func rebase(to time: Int64) {
        let shift = Float(first.map { time - $0 } ?? 0) / 1000
        let lost = Float(smoothed)
        for index in 0..<Self.window {
            times[index] -= shift
            delays[index] -= lost
        }
        delay -= smoothed
        smoothed = 0
        first = time
    }

    private var slope: Double? {
        withUnsafeBytes(of: times) { times in
            withUnsafeBytes(of: delays) { delays in
                Self.slope(
                    times.assumingMemoryBound(to: Float.self).baseAddress.unsafelyUnwrapped,
                    delays.assumingMemoryBound(to: Float.self).baseAddress.unsafelyUnwrapped)
            }
        }
    }

    /// Returns the slope of the line through `window` points.
    private static func slope(_ times: UnsafePointer<Float>, _ delays: UnsafePointer<Float>) -> Double? {
        var meanTime: Float = 0
        var meanDelay: Float = 0
        for index in 0..<window {
            meanTime += times[index]
            meanDelay += delays[index]
        }
        meanTime /= Float(window)
        meanDelay /= Float(window)
        var numerator: Float = 0
        var denominator: Float = 0
        for index in 0..<window {
            let time = times[index] - meanTime
            numerator += time * (delays[index] - meanDelay)
            denominator += time * time
        }
        return denominator > 0 ? Double(numerator / denominator) : nil
    }

    private mutating func detect(interval: Double, previous: Double, at time: Int64) {
        guard counted >= 2 else { return }
        let value = counted * trend * Self.gain
        if value > threshold {
            over += overCount == 0 ? interval / 2 : interval
            overCount += 1
            if over > Self.patience, overCount > 1, trend >= previous {
                over = 0
                overCount = 0
                usage = .overuse
            }
        } else {
            over = 0
            overCount = 0
            usage = value < -threshold ? .underuse : .normal
        }
        adapt(to: value, at: time)
    }

    private mutating func adapt(to value: Double, at time: Int64) {
        defer { lastThreshold = time }
        guard let lastThreshold, value.magnitude <= threshold + Self.outlier else { return }
        let rate = value.magnitude < threshold ? Self.thresholdFall : Self.thresholdRise
        let elapsed = min(max(Double(time - lastThreshold) / 1000, 0), 100)
        threshold += rate * (value.magnitude - threshold) * elapsed
        threshold = min(max(threshold, Self.thresholds.lowerBound), Self.thresholds.upperBound)
    }
}

/// Values of a run over time, in bounded memory: a point a second. When there are `capacity` points, each two neighbours are
/// merged, and from then on a point covers twice the time. A day of load has 1,350 points of 64 s each.
package struct LoadTimeline: Sendable {
    private(set) var points: [TimelinePoint] = []
    /// Samples per point: 1, 2, 4, ...
    private(set) var samplesPerPoint = 1
    /// Samples in the last point.
    private var samplesInLast = 0
    private let capacity: Int

    /// - Parameter capacity: even, at least 2. 2,048 points with their latencies take about 5 MB.
    init(capacity: Int = 2_048) {
        precondition(capacity >= 2 && capacity % 2 == 0)
        self.capacity = capacity
    }

    /// Adds the sample that follows the last one, about a second long.
    mutating func add(_ sample: TimelinePoint) {
        if samplesInLast > 0, samplesInLast < samplesPerPoint {
            points[points.count - 1].append(sample)
            samplesInLast += 1
            return
        }
        if points.count == capacity { halve() }
        points.append(sample)
        samplesInLast = 1
    }

    /// Adds the last sample. A sample of less than half a second is merged into the previous point: threads publish their counts
    /// every 200 ms, so its rates would fall to 0.
    mutating func finish(_ sample: TimelinePoint) {
        guard sample.period.duration < 0.5, !points.isEmpty else { return add(sample) }
        points[points.count - 1].append(sample)
    }

    private mutating func halve() {
        points = stride(from: 0, to: points.count, by: 2).map { index in
            var point = points[index]
            point.append(points[index + 1])
            return point
        }
        samplesPerPoint *= 2
    }
}

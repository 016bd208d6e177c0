package import MediaBase

/// Quality of one peer connection over the last minutes, a point about every second. Takes 24 bytes for each point, and grows as points are
/// added, so that short connections take little.
package struct QualityTimeline: Sendable {
    package static let interval = MediaTime.seconds(1)
    /// First number of points for which memory is allocated; it doubles up to the limit.
    private static let firstCapacity = 16

    private var records: ContiguousArray<Record> = []
    /// Index of the oldest record, once the limit is reached.
    private var oldest = 0
    private let limit: Int
    private let start: MediaTime
    /// End of the last point; the start before the first.
    package private(set) var last: MediaTime

    /// - Parameter limit: number of points that are kept; 0: none.
    package init(limit: Int, start: MediaTime) {
        self.limit = max(0, limit)
        self.start = start
        last = start
    }

    /// Returns whether the next point is due.
    package func isDue(now: MediaTime) -> Bool { now - last >= Self.interval }

    /// Adds a point. It replaces the oldest one if the limit is reached.
    package mutating func append(_ point: QualityPoint) {
        last = point.at
        guard limit > 0 else { return }
        let record = Record(point, start: start)
        if records.count == limit {
            records[oldest] = record
            oldest = (oldest + 1) % limit
            return
        }
        if records.count == records.capacity {
            records.reserveCapacity(min(limit, max(Self.firstCapacity, 2 * records.count)))
        }
        records.append(record)
    }

    /// Points, oldest first.
    package var points: [QualityPoint] {
        records.indices.map { records[(oldest + $0) % records.count].point(start: start) }
    }

    /// A point in 24 bytes. Values out of range saturate.
    private struct Record {
        private static let unknownTime = UInt16.max
        private static let unknownRate = UInt32.max
        private static let noVideo = UInt8.max
        private static let noTemporalLayer: UInt8 = 15

        /// Hundredths of a second since the start: 497 days.
        private let time: UInt32
        /// Kilobits per second.
        private let bitrate: UInt32
        private let estimate: UInt32
        private let packets: UInt16
        private let lost: UInt16
        /// Milliseconds.
        private let roundTrip: UInt16
        /// 0: unknown.
        private let height: UInt16
        /// Layer in the high four bits, temporal layer in the low ones.
        private let layers: UInt8
        private let frozen: UInt8

        init(_ point: QualityPoint, start: MediaTime) {
            time = UInt32(clamping: (point.at - start).rawValue / 10_000_000)
            bitrate = UInt32(clamping: point.bitrate.rawValue / 1_000)
            estimate =
                point.estimate.map { min(UInt32(clamping: $0.rawValue / 1_000), Self.unknownRate - 1) }
                ?? Self.unknownRate
            packets = UInt16(clamping: point.packets)
            lost = UInt16(clamping: point.lost)
            roundTrip =
                point.roundTrip.map { min(UInt16(clamping: $0.rawValue / 1_000_000), Self.unknownTime - 1) }
                ?? Self.unknownTime
            height = UInt16(clamping: point.video?.height ?? 0)
            layers =
                point.video.map { video in
                    let temporal = video.temporalLayer.map { UInt8(clamping: $0) } ?? Self.noTemporalLayer
                    return min(UInt8(clamping: video.layer), 14) << 4 | min(temporal, Self.noTemporalLayer)
                } ?? Self.noVideo
            frozen = UInt8(clamping: point.frozen)
        }

        func point(start: MediaTime) -> QualityPoint {
            var point = QualityPoint(at: start + .milliseconds(Int64(time) * 10))
            point.packets = Int(packets)
            point.lost = Int(lost)
            point.bitrate = .kilobits(Int64(bitrate))
            if roundTrip != Self.unknownTime { point.roundTrip = .milliseconds(Int64(roundTrip)) }
            if estimate != Self.unknownRate { point.estimate = .kilobits(Int64(estimate)) }
            if layers != Self.noVideo {
                let temporal = layers & 15
                point.video = QualityPoint.Video(
                    layer: Int(layers >> 4), temporalLayer: temporal == Self.noTemporalLayer ? nil : Int(temporal),
                    height: height == 0 ? nil : Int(height))
            }
            point.frozen = Int(frozen)
            return point
        }
    }
}

// JSON has the points. The decoded timeline keeps as many.
extension QualityTimeline: Codable {
    private enum CodingKeys: String, CodingKey {
        case start
        case points
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let points = try container.decode([QualityPoint].self, forKey: .points)
        self.init(limit: points.count, start: try container.decode(MediaTime.self, forKey: .start))
        for point in points { append(point) }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(start, forKey: .start)
        try container.encode(points, forKey: .points)
    }
}

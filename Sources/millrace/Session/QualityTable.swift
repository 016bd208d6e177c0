import ControlServer
import Signaling

/// Table of the quality of participants' media, a line for each direction.
struct QualityTable {
    private static let head = [
        "PARTICIPANT", "NAME", "MEDIA", "FOR", "BIT RATE", "LOSS", "WORST", "ROUND TRIP", "LONGEST", "ESTIMATE",
        "LOWEST", "LAYER",
        "HEIGHT", "FROZEN",
    ]
    /// Number of points over which the worst loss is taken.
    private static let window = 10

    var rows: [[String]] = []

    /// Adds the lines of a participant; none if it has no media.
    mutating func add(_ user: UserInfo, _ quality: QualityAnswer) {
        for (direction, points) in [("sends", quality.published), ("receives", quality.subscribed)]
        where !points.isEmpty {
            rows.append([user.id.rawValue, CommandOutput.plain(user.name), direction] + Self.cells(points))
        }
    }

    var text: String {
        rows.isEmpty ? "no media" : CommandOutput.table(Self.head, rows)
    }

    /// Returns the cells of one direction. Figures without "worst", "longest" or "lowest" are those of the last point, except the loss,
    /// which covers all points.
    private static func cells(_ points: [QualityAnswer.Point]) -> [String] {
        guard let first = points.first, let last = points.last else { return [] }
        let worst =
            stride(from: 0, to: points.count, by: window)
            .map { loss(points[$0..<min($0 + window, points.count)]) }.max() ?? 0
        let estimates = points.compactMap(\.availableBitrate)
        return [
            "\((last.at - first.at) / 1_000 + 1) s", rate(last.bitrate), percent(loss(points[...])), percent(worst),
            time(last.roundTrip), time(points.compactMap(\.roundTrip).max()), rate(last.availableBitrate),
            rate(estimates.min()),
            last.layer.map { layer in "\(layer)" + (last.temporalLayer.map { ".\($0)" } ?? "") } ?? "-",
            last.height.map(String.init) ?? "-", "\(points.count { $0.frozen > 0 }) s",
        ]
    }

    private static func loss(_ points: ArraySlice<QualityAnswer.Point>) -> Double {
        let packets = points.reduce(0) { $0 + $1.packets }
        let lost = points.reduce(0) { $0 + $1.lost }
        return packets + lost > 0 ? min(1, Double(lost) / Double(max(packets, lost))) : 0
    }

    private static func percent(_ share: Double) -> String { "\((share * 1_000).rounded() / 10) %" }

    private static func rate(_ bits: Int?) -> String { bits.map { "\($0 / 1_000) kb/s" } ?? "-" }

    private static func time(_ milliseconds: Double?) -> String { milliseconds.map { "\(Int($0)) ms" } ?? "-" }
}

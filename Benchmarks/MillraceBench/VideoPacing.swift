/// Distribution of the packets of a frame over the time until the next frame.
enum VideoPacing: String, Codable {
    /// All packets together.
    case burst
    /// Groups of four, 5 ms apart, like the pacer of a browser.
    case pacer
    /// Single packets at equal distances.
    case even

    /// Packets of a publisher's frame that are sent together.
    typealias Slot<Publisher> = (offset: Double, publisher: Publisher, packets: Range<Int>)

    /// Returns the slots of all publishers by their times since the begin of the interval, in nanoseconds.
    /// - Parameters:
    ///   - interval: time between two frames of a publisher, in nanoseconds.
    ///   - together: whether publishers send at the same moment, or each at its own time within the interval.
    func slots<Publisher>(
        of publishers: [Publisher], packets: Int, interval: Double, together: Bool
    ) -> [Slot<Publisher>] {
        let size: Int
        let distance: Double
        switch self {
        case .burst: (size, distance) = (packets, 0)
        case .pacer: (size, distance) = (4, 5_000_000)
        case .even: (size, distance) = (1, interval / Double(packets))
        }
        return publishers.enumerated().flatMap { index, publisher in
            let begin = together ? 0 : interval * Double(index) / Double(publishers.count)
            return stride(from: 0, to: packets, by: max(1, size)).enumerated().map { number, first in
                (begin + Double(number) * distance, publisher, first..<min(first + size, packets))
            }
        }.sorted { $0.0 < $1.0 }
    }
}

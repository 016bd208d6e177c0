/// Distribution of the packets of a frame over the time until the next frame.
enum VideoPacing: String, Codable {
    /// All packets together.
    case burst
    /// Groups of four, 5 ms apart, like the pacer of a browser.
    case pacer
    /// Single packets at equal distances.
    case even

    /// Packets that are sent together.
    struct Group {
        var packets: Range<Int>
        /// Time since the begin of the frame, in nanoseconds.
        var offset: Double
    }

    /// Returns the groups of a frame.
    /// - Parameter interval: time between two frames, in nanoseconds.
    func groups(packets: Int, interval: Double) -> [Group] {
        let size: Int
        let distance: Double
        switch self {
        case .burst: (size, distance) = (packets, 0)
        case .pacer: (size, distance) = (4, 5_000_000)
        case .even: (size, distance) = (1, interval / Double(packets))
        }
        return stride(from: 0, to: packets, by: max(1, size)).enumerated().map { number, first in
            Group(packets: first..<min(first + size, packets), offset: Double(number) * distance)
        }
    }
}

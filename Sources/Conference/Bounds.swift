import Signaling

/// Bounds of numbers in requests.
enum Bounds {
    /// VP8's largest width and height (RFC 6386 section 9.1).
    static let pixels = 16_383
    /// Frames per second.
    static let frameRate = 240
    /// Characters of a MID (RFC 5888 section 4). Browsers use 1 to 3.
    static let mid = 64

    static func check(_ value: Int?, _ range: ClosedRange<Int>, _ field: String) throws(SignalingError) {
        guard let value, !range.contains(value) else { return }
        throw SignalingError(
            .invalidField, "\(value) is not within \(range.lowerBound) to \(range.upperBound)", field: field)
    }
}

import Signaling

/// Numbers that requests may hold.
enum Bounds {
    /// VP8's largest width and height (RFC 6386 section 9.1).
    static let pixels = 16_383
    /// Pictures a second.
    static let frameRate = 240
    /// Characters of a media section's name (RFC 5888 section 4), far more than anybody uses.
    static let mid = 64

    static func check(_ value: Int?, _ range: ClosedRange<Int>, _ field: String) throws(SignalingError) {
        guard let value, !range.contains(value) else { return }
        throw SignalingError(
            .invalidField, "\(value) is not within \(range.lowerBound) to \(range.upperBound)", field: field)
    }
}

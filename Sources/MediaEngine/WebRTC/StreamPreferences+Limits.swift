import Forwarding
import MediaBase

extension StreamPreferences {
    /// Fraction of a requested rate or size that satisfies the request: rates are measured, and encoders round sizes.
    private static let tolerance = 0.9

    /// Returns the height for a width, rounded up, because encoders round each side of a smaller encoding.
    private static func height(_ size: (width: Int, height: Int), ofWidth width: Int) -> Int {
        (width * size.height + size.width - 1) / size.width
    }

    /// Returns the upper bounds of a stream's video under these preferences.
    func limits(of stream: EngineStream, now: MediaTime) -> AllocatedTrack.Limits {
        var limits = AllocatedTrack.Limits()
        guard width != nil || height != nil || frameRate != nil || maximumWidth != nil || maximumHeight != nil else {
            return limits
        }
        // Until the aspect ratio is known, only the smallest encoding is certain to fit.
        if maximumWidth != nil || maximumHeight != nil { limits.maximumHeight = maximumHeight ?? 1 }
        if let largest = stream.encodings.last(where: { $0.producer.frameSize != nil })?.producer.frameSize {
            // Encodings have the same aspect ratio, so that the height also expresses the requested width.
            let byWidth = largest.width > 0 ? (width ?? 0) * largest.height / largest.width : 0
            limits.height = Int(Double(max(height ?? 0, byWidth)) * Self.tolerance)
            if let maximumWidth, largest.width > 0 {
                limits.maximumHeight = max(
                    1, min(maximumHeight ?? .max, Self.height(largest, ofWidth: maximumWidth)))
            }
        }
        if let frameRate, let video = stream.video {
            let rates = video.measured(now: now).frameRates
            limits.temporal = rates.firstIndex { $0 >= Double(frameRate) * Self.tolerance }
        }
        return limits
    }
}

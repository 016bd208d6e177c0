import Forwarding
import MediaBase

extension StreamPreferences {
    /// So much less than what was asked for still counts as it: rates are measured, and sizes rounded by encoders.
    private static let tolerance = 0.9

    /// Rounded up: encoders round the sides of smaller encodings, each for itself.
    private static func height(_ size: (width: Int, height: Int), ofWidth width: Int) -> Int {
        (width * size.height + size.width - 1) / size.width
    }

    /// What of a stream's video is sent at most.
    func limits(of stream: EngineStream, now: MediaTime) -> AllocatedTrack.Limits {
        var limits = AllocatedTrack.Limits()
        guard width != nil || height != nil || frameRate != nil || maximumWidth != nil || maximumHeight != nil else {
            return limits
        }
        // Until the shape is known the smallest encoding fits.
        if maximumWidth != nil || maximumHeight != nil { limits.maximumHeight = maximumHeight ?? 1 }
        if let largest = stream.encodings.last(where: { $0.producer.pictureSize != nil })?.producer.pictureSize {
            // Encodings differ in size, not in shape: what is wanted of the width is said by the height.
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

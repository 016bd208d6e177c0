import ArgumentParser
import MediaBase

extension FanoutCommand {
    /// Returns the loads with one number of subscribers.
    func loads(subscribers n: Int, _ pacings: [VideoPacing]) -> [Shape] {
        var shapes = pacings.map { pacing in
            Shape(
                name: pacing == .burst ? "video" : "video \(pacing.rawValue)", publishers: 1, subscribers: n,
                isVideo: true, payload: 1200, burst: 10, perSecond: rate, pacing: pacing)
        }
        shapes.append(
            Shape(
                name: "audio", publishers: 1, subscribers: n, isVideo: false, payload: 120, burst: 1, perSecond: 50))
        // A WebRTC subscriber receives one stream.
        guard transport == "plain" else { return shapes }
        for together in [true, false] {
            shapes.append(
                Shape(
                    name: "10 audio \(together ? "together" : "spread")", publishers: 10, subscribers: n,
                    isVideo: false, payload: 120, burst: 1, perSecond: 50, together: together))
        }
        // More publishers to hundreds of subscribers exceed one worker.
        for publishers in n <= 100 ? [10, 30] : [10] {
            for together in [true, false] {
                shapes.append(
                    Shape(
                        name: "\(publishers) Opus \(together ? "together" : "spread")", publishers: publishers,
                        subscribers: n, isVideo: false, payload: 110, variation: 50, burst: 1, perSecond: 50,
                        together: together))
            }
        }
        return shapes
    }

    var videoPacings: [VideoPacing] {
        get throws {
            try shapes.split(separator: ",").map {
                guard let pacing = VideoPacing(rawValue: String($0)) else {
                    throw ValidationError("--shapes takes burst, pacer and even, with commas")
                }
                return pacing
            }
        }
    }
}

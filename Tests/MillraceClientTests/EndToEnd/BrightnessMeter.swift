import RelayServer

/// A relay in this process, with the brightness of the video of its participants.
struct BrightnessMeter {
    let relay: Relay

    /// Mean luma of a frame of each stream of the session: 16 is black, 235 is white.
    func brightness(of session: String) async throws -> [String: Double] {
        var options = TapOptions()
        options.audio = false
        options.frames = 1
        var means: [String: Double] = [:]
        for stream in try await relay.streams(session: session) where stream.hasVideo {
            let tap = try await relay.tap(session: session, stream: stream.id, options: options)
            for await frame in tap.frames {
                let luma = frame.bytes[frame.yRange]
                means[stream.id] = Double(luma.reduce(0) { $0 + Int($1) }) / Double(luma.count)
                break
            }
            tap.close()
        }
        return means
    }
}

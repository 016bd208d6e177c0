import MediaBase

extension Publisher {
    /// Publishes a file's pictures and sound at their pace: `.y4m`, `.wav` (48 kHz), `.ivf` with VP8, or `.webm` with VP8 and Opus.
    /// Returns at its end, or when the task is cancelled.
    ///
    /// - Parameters:
    ///   - path: of the file.
    ///   - repeats: begins anew at its end.
    /// - Throws: `mediaFailed` for a file that cannot be read.
    public func play(_ path: String, repeats: Bool = false) async throws(SessionError) {
        let clock = ContinuousClock()
        repeat {
            let reader = try MediaFileReader(path: path)
            let start = clock.now
            let base = ClientClock.now
            var count = 0
            while !Task.isCancelled, let media = try reader.next() {
                count += 1
                do { try await clock.sleep(until: start + .nanoseconds(media.time.rawValue)) } catch { return }
                switch media {
                case .picture(var frame):
                    frame.captureTime += base
                    push(frame)
                case .sound(var block):
                    block.captureTime += base
                    push(block)
                }
            }
            // An empty file would be read for ever.
            guard count > 0 else { return }
        } while repeats && !Task.isCancelled
    }
}

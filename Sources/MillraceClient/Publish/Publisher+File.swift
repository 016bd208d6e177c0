import MediaBase

extension Publisher {
    /// Publishes a file's frames and audio in real time: `.y4m`, `.wav` (48 kHz), `.ivf` with VP8, or `.webm` with VP8 and Opus.
    /// Returns at the end of the file, or when the task is cancelled.
    ///
    /// - Parameters:
    ///   - path: path of the file.
    ///   - repeats: whether to start again at the end of the file.
    /// - Throws: `mediaFailed` if the file cannot be read.
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
                case .video(var frame):
                    frame.captureTime += base
                    push(frame)
                case .audio(var block):
                    block.captureTime += base
                    push(block)
                }
            }
            // Otherwise an empty file would be read in an endless loop.
            guard count > 0 else { return }
        } while repeats && !Task.isCancelled
    }
}

package import MediaBase

/// What decoded pictures with a frame bar tell of one viewer, or of several merged.
package struct PictureStatistics: Sendable {
    /// Pictures that came out of the decoder.
    package var decoded: UInt64 = 0
    /// Of these, pictures whose bar could not be read.
    package var unreadable: UInt64 = 0
    /// Frame counters that never came between the first and the last that did.
    package var countersMissed: UInt64 = 0
    /// Pictures whose counter was not above the one before.
    package var repeated: UInt64 = 0
    /// Frames that the decoder refused.
    package var decodeErrors: UInt64 = 0
    /// Frames that were not decoded because packets of them or of what they refer to were lost.
    package var framesDropped: UInt64 = 0
    /// Times that no new counter was shown for longer than `freezeLimit`.
    package var freezes: UInt64 = 0
    /// The longest time without a new counter, and the sum of all freezes.
    package var longestPause: MediaTime = .zero
    package var frozen: MediaTime = .zero
    /// Capture until decoded, microseconds, of pictures taken after the viewer joined.
    package var latency = Distribution()
    /// The same since the last `takeRecentLatency`.
    private var recentLatency = Distribution()
    /// Hundredths of a dB.
    package var psnr = Distribution()
    /// Join until the first decoded picture, microseconds.
    package var firstFrame = Distribution()

    /// A viewer sees a freeze when nothing new is shown for longer than this: 200 ms, or three pictures where these are slow.
    package let freezeLimit: MediaTime
    private var lastCounter: UInt32?
    private var lastShown: MediaTime = .zero

    package init(frameInterval: MediaTime) {
        freezeLimit = max(.milliseconds(200), .nanoseconds(frameInterval.rawValue * 3))
    }

    /// - Parameters:
    ///   - bar: what was read of the picture; nil where it could not be.
    ///   - captured: when the picture was taken, on the clock of `now`.
    ///   - joined: when the viewer asked to join. Pictures from before come out of the relay's cache: their age is no latency.
    package mutating func record(_ bar: FrameBar?, captured: MediaTime, joined: MediaTime = .zero, now: MediaTime) {
        decoded += 1
        guard let bar else {
            unreadable += 1
            return
        }
        if captured >= joined {
            let delay = (now - captured).rawValue / 1_000
            latency.record(delay)
            recentLatency.record(delay)
        }
        guard let last = lastCounter else {
            lastCounter = bar.counter
            lastShown = now
            return
        }
        let step = Int32(bitPattern: bar.counter &- last)
        guard step > 0 else {
            repeated += 1
            return
        }
        countersMissed += UInt64(step - 1)
        endPause(at: now)
        lastCounter = bar.counter
        lastShown = now
    }

    /// The viewer leaves: a freeze that it still sees counts.
    package mutating func finish(now: MediaTime) {
        if lastCounter != nil { endPause(at: now) }
        lastCounter = nil
    }

    private mutating func endPause(at now: MediaTime) {
        let pause = now - lastShown
        longestPause = max(longestPause, pause)
        guard pause > freezeLimit else { return }
        freezes += 1
        frozen += pause
    }

    package mutating func takeRecentLatency() -> Distribution {
        defer { recentLatency = Distribution() }
        return recentLatency
    }

    package mutating func merge(_ other: PictureStatistics) {
        decoded += other.decoded
        unreadable += other.unreadable
        countersMissed += other.countersMissed
        repeated += other.repeated
        decodeErrors += other.decodeErrors
        framesDropped += other.framesDropped
        freezes += other.freezes
        longestPause = max(longestPause, other.longestPause)
        frozen += other.frozen
        latency.merge(other.latency)
        recentLatency.merge(other.recentLatency)
        psnr.merge(other.psnr)
        firstFrame.merge(other.firstFrame)
    }
}

package import MediaBase

/// Statistics of decoded frames with a frame bar, of one subscriber or of several merged.
package struct VideoStatistics: Sendable {
    /// Frames that the decoder returned.
    package var decoded: UInt64 = 0
    /// Decoded frames whose bar could not be read.
    package var unreadable: UInt64 = 0
    /// Frame counters between the first and the last received one that never arrived.
    package var countersMissed: UInt64 = 0
    /// Frames whose counter was not above the previous one.
    package var repeated: UInt64 = 0
    /// Frames that the decoder refused.
    package var decodeErrors: UInt64 = 0
    /// Frames that could not be decrypted, in a run with end-to-end encryption. They are not decoded.
    package var undecryptable: UInt64 = 0
    /// Frames that were not decoded because packets of them, or of frames that they refer to, were lost.
    package var framesDropped: UInt64 = 0
    /// Number of times without a new frame for longer than `freezeLimit`.
    package var freezes: UInt64 = 0
    /// Longest time without a new frame, and sum of all freezes.
    package var longestPause: MediaTime = .zero
    package var frozen: MediaTime = .zero
    /// Time from capture to decoding in microseconds, of frames captured after the subscriber joined.
    package var latency = Distribution()
    /// Latency since the last `takeRecentLatency`.
    private var recentLatency = Distribution()
    /// PSNR in hundredths of a dB.
    package var psnr = Distribution()
    /// Time from the join to the first decoded frame, in microseconds.
    package var firstFrame = Distribution()

    /// Time without a new frame that counts as a freeze if it is exceeded: 200 ms, or three frame intervals if these are longer.
    package let freezeLimit: MediaTime
    private var lastCounter: UInt32?
    private var lastShown: MediaTime = .zero

    package init(frameInterval: MediaTime = .milliseconds(33)) {
        freezeLimit = max(.milliseconds(200), .nanoseconds(frameInterval.rawValue * 3))
    }

    /// - Parameters:
    ///   - bar: the frame's bar; nil if it could not be read.
    ///   - captured: capture time of the frame, on the clock of `now`.
    ///   - joined: time at which the subscriber asked to join. Earlier frames come from the relay's cache: their age is not latency.
    package mutating func record(_ bar: FrameBar?, captured: MediaTime, joined: MediaTime = .zero, now: MediaTime) {
        if decoded == 0 { firstFrame.record((now - joined).rawValue / 1_000) }
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

    /// Ends the record of a subscriber that leaves; counts a freeze that still lasts.
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

    package mutating func merge(_ other: VideoStatistics) {
        decoded += other.decoded
        unreadable += other.unreadable
        countersMissed += other.countersMissed
        repeated += other.repeated
        decodeErrors += other.decodeErrors
        undecryptable += other.undecryptable
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

package import MediaBase

extension StreamRecording {
    package struct Options: Sendable {
        /// Time that the first frames are held for the sender reports that align them.
        package var alignmentWait: MediaTime = .seconds(1)
        /// Minimum time that the first frames are held, so that the packet with the least delay is known when a publisher sends at once
        /// what it has gathered.
        package var settlingWait: MediaTime = .milliseconds(500)
        /// Maximum lead of RTP time over arrival.
        package var maximumLead = RecordingTimeline.maximumLead
        /// Time that audio waits for the first video frame before it is recorded alone.
        package var videoWait: MediaTime = .seconds(3)
        /// Time between two attempts to write after an error.
        package var retryInterval: MediaTime = .seconds(5)
        /// Minimum free bytes before writing resumes after a full disk; fewer would be used up at once.
        package var minimumFreeBytes: Int64 = 16 << 20
        /// Whether another rotation of the video begins a new file, whose header states it. Otherwise players show later
        /// frames with the rotation of the first one.
        package var splitsAtRotation = true
        package init() {}
    }
}

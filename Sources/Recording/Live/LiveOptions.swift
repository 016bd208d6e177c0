package import MediaBase

/// Limits of a live stream and of its reader.
package struct LiveOptions: Sendable {
    /// Frames that wait for the reader.
    package var backlog = LiveBacklog.Options()
    /// Maximum bytes of packets that wait for the live stream's thread.
    package var packetBytes = 4 << 20
    /// Maximum age of the cached frames that a live stream starts with. If the newest key frame is older, it starts with
    /// the next one, because a player stays behind by the age of its first frame.
    package var maximumReplay: MediaTime = .milliseconds(500)
    /// Maximum time that the first frames are held for the sender reports that align them.
    package var alignmentWait: MediaTime = .milliseconds(300)
    /// Time that audio waits for the first key frame, after which the file has audio alone.
    package var videoWait: MediaTime = .seconds(10)

    package init() {}
}

package import MediaBase

/// Delay and limits of a programme.
package struct ProgrammeOptions: Sendable {
    /// Time from the arrival of a packet without jitter to its output. Later packets of audio are lost; the value covers the jitter of most
    /// access networks.
    package var delay: MediaTime = .milliseconds(200)
    /// Maximum number of audio tracks that are decoded and mixed: the loudest ones.
    package var mixedTracks = 10
    /// Maximum number of streams that are considered, in order of creation.
    package var streams = 100
    /// Maximum bytes of video frames that wait for their time: 200 ms at 300 Mb/s.
    package var heldBytes = 8 << 20
    /// Bit rate of the mixed audio.
    package var audioBitrate: Bitrate = .kilobits(96)

    package init() {}
}

/// Track that a mirroring relay requests, under SSRCs that it chose. Tracks that it does not request are not sent.
package struct PipeTrack: Sendable, Equatable, Codable {
    /// `PipeDescription.Track.number`.
    package let number: UInt64
    package let ssrc: UInt32
    /// SSRC of retransmissions (RFC 4588).
    package let rtx: UInt32

    package init(number: UInt64, ssrc: UInt32, rtx: UInt32) {
        self.number = number
        self.ssrc = ssrc
        self.rtx = rtx
    }
}

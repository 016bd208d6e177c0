/// One end of a pipe, as the other one needs to know it. RTP and RTCP use the same port (RFC 5761).
package struct PipeEnd: Sendable, Equatable, Codable {
    package let id: TransportID
    /// Numeric address that the end sends from and receives at.
    package let address: String
    package let port: UInt16
    /// SSRC of a receiving end's RTCP; 0 for a sending end, whose RTCP has the SSRCs of the tracks.
    package let ssrc: UInt32
    /// Whether a receiving end acknowledges packets with transport-wide numbers. Nil: no, or a sending end.
    package var sendsFeedback: Bool?

    package init(id: TransportID, address: String, port: UInt16, ssrc: UInt32, sendsFeedback: Bool? = nil) {
        self.id = id
        self.address = address
        self.port = port
        self.ssrc = ssrc
        self.sendsFeedback = sendsFeedback
    }
}

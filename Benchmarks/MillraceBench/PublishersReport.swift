/// State of the publishers of an `EndpointsOrder`.
struct PublishersReport: Codable {
    /// RTP packets without retransmissions.
    var sent = 0
    /// Packets that the kernel refused.
    var refused = 0
    /// Longest delay of a group of packets behind its time, in milliseconds.
    var latest = 0.0
    var keyFrameRequests = 0
    var resent = 0
    /// Publishers whose connection has ended.
    var ended = 0
}

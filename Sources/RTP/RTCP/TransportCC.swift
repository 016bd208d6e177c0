package import MediaBase

/// Transport-wide congestion control feedback: arrival time of each packet of a transport
/// (draft-holmer-rmcat-transport-wide-cc-extensions-01 section 3.1).
///
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///     |V=2|P|  FMT=15 |  PT=RTPFB=205 |             length            |
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///     |                     SSRC of packet sender                     |
///     |                      SSRC of media source                     |
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///     |      base sequence number     |      packet status count      |
///     |                 reference time                | fb pkt. count |
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///     |    packet chunks, 16 bits each; receive deltas, 8 or 16 bits each; zeros up to 32 bits
///
/// Only received packets are stored, so that a few bytes that report 65,535 lost packets take no memory.
package struct TransportCC: Hashable, Sendable {
    /// A packet that arrived.
    package struct Arrival: Hashable, Sendable {
        /// Transport-wide sequence number.
        package var sequence: SequenceNumber
        /// Time since the previous arrival in this list, or since the reference time for the first, in units of 250 us.
        package var delta: Int16

        package init(sequence: SequenceNumber, delta: Int16) {
            self.sequence = sequence
            self.delta = delta
        }
        var isSmall: Bool { (0...255).contains(delta) }
    }

    package var sender: SSRC
    package var media: SSRC
    package var baseSequence: SequenceNumber
    /// Number of packets, from `baseSequence`, that this feedback covers. Packets not in `arrivals` have not arrived.
    package var statusCount: UInt16
    /// Units of 64 ms on an arbitrary clock: -2^23 ..< 2^23.
    package var referenceTime: Int32
    /// Number of this feedback packet.
    package var feedbackCount: UInt8
    /// In ascending order of sequence.
    package var arrivals: [Arrival]

    package init(
        sender: SSRC, media: SSRC, baseSequence: SequenceNumber, statusCount: UInt16, referenceTime: Int32,
        feedbackCount: UInt8, arrivals: [Arrival]
    ) {
        self.sender = sender
        self.media = media
        self.baseSequence = baseSequence
        self.statusCount = statusCount
        self.referenceTime = referenceTime
        self.feedbackCount = feedbackCount
        self.arrivals = arrivals
    }

    /// Creates empty feedback, for `read` to fill.
    package init() {
        self.init(
            sender: SSRC(0), media: SSRC(0), baseSequence: SequenceNumber(0), statusCount: 0, referenceTime: 0,
            feedbackCount: 0, arrivals: [])
    }

    /// Calls `body` with each packet that arrived and its time on the receiver's clock, whose epoch is arbitrary.
    package func forEachArrival(_ body: (SequenceNumber, MediaTime) -> Void) {
        var microseconds = Int64(referenceTime) * 64_000
        for arrival in arrivals {
            microseconds += Int64(arrival.delta) * 250
            body(arrival.sequence, .microseconds(microseconds))
        }
    }
}

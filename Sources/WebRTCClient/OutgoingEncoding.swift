import MediaBase
import RTP
import SDP

/// State of one SSRC that an endpoint sends.
struct OutgoingEncoding {
    /// A packet as it was sent, before protection.
    struct Sent {
        var sequence: UInt16
        var timestamp: RTPTimestamp
        var marker: Bool
        var payload: [UInt8]
        /// Header and payload, stored if retransmissions repeat the original packet.
        var packet: [UInt8]
    }

    let ssrc: SSRC
    let rtxSSRC: SSRC?
    let rid: RID?
    private(set) var payloadType: PayloadType
    private(set) var rtxPayloadType: PayloadType?
    private(set) var sequence: UInt16
    private(set) var rtxSequence: UInt16
    private let timestampOffset: UInt32
    private let clockRate: Int64
    private var history: [Sent?]
    private(set) var packets: UInt32 = 0
    private(set) var octets: UInt32 = 0
    /// True once a report shows that the receiver knows this SSRC: mid and rid need not be repeated (RFC 8852 section 3.3).
    var isKnown = false

    init(
        _ encoding: TrackDescription.Encoding, of track: TrackDescription, history: Int,
        using random: inout some RandomNumberGenerator
    ) {
        ssrc = encoding.ssrc ?? SSRC(.random(in: 1 ... .max, using: &random))
        rid = encoding.rid
        payloadType = track.payloadType
        rtxPayloadType = encoding.rtxSSRC == nil ? nil : track.rtxPayloadType
        rtxSSRC = rtxPayloadType == nil ? nil : encoding.rtxSSRC
        sequence = .random(in: .min ... .max, using: &random)
        rtxSequence = .random(in: .min ... .max, using: &random)
        timestampOffset = .random(in: .min ... .max, using: &random)
        clockRate = Int64(track.kind.clockRate)
        self.history = Array(repeating: nil, count: history)
    }

    /// Takes the payload types of another answer. Packets of another codec that were sent before are not sent again.
    mutating func adopt(_ track: TrackDescription) {
        guard payloadType != track.payloadType else { return }
        payloadType = track.payloadType
        rtxPayloadType = rtxSSRC == nil ? nil : track.rtxPayloadType
        history = Array(repeating: nil, count: history.count)
    }

    /// Returns the RTP timestamp of media captured at `time`.
    func timestamp(_ time: MediaTime) -> RTPTimestamp {
        RTPTimestamp(timestampOffset &+ UInt32(truncatingIfNeeded: time.ticks(clockRate: clockRate)))
    }

    /// Returns whether a packet of that number was certainly not sent yet. Another packet under the same SRTP index would reuse the keystream.
    func isFree(_ number: SequenceNumber) -> Bool {
        let distance = number.distance(from: SequenceNumber(sequence))
        return distance >= 0 || -distance <= history.count && find(number) == nil
    }

    mutating func note(_ sent: Sent) {
        history[Int(sent.sequence) & (history.count - 1)] = sent
        if SequenceNumber(sent.sequence).distance(from: SequenceNumber(sequence)) >= 0 { sequence = sent.sequence &+ 1 }
        packets &+= 1
        octets &+= UInt32(truncatingIfNeeded: sent.payload.count)
    }

    func find(_ number: SequenceNumber) -> Sent? {
        guard let sent = history[Int(number.rawValue) & (history.count - 1)], sent.sequence == number.rawValue else {
            return nil
        }
        return sent
    }

    /// Returns one of the latest packets.
    /// - Parameter distance: number of packets after it.
    func recent(_ distance: Int) -> Sent? {
        find(SequenceNumber(sequence &- 1 &- UInt16(truncatingIfNeeded: distance)))
    }

    mutating func takeRTXSequence() -> SequenceNumber {
        defer { rtxSequence &+= 1 }
        return SequenceNumber(rtxSequence)
    }
}

import CLinuxNet
import MediaBase
import MediaEngine
import RTP

/// RTP state of one track that a publisher sends, with its last packets for retransmission.
struct OutgoingTrack {
    let ssrc: SSRC
    let kind: MediaKind
    /// Address of the relay for RTP and RTCP of this track.
    let address: millrace_address
    var loss: LossPattern.Stream
    /// Number of packets made so far, including those dropped on purpose.
    private(set) var packets: UInt64 = 0
    private var payloadBytes: UInt64 = 0
    private let payloadType: PayloadType
    private var sequence = UInt16.random(in: .min ... .max)
    private let timestampOffset = UInt32.random(in: .min ... .max)
    /// Sent packets before protection. The payloads are shared with the source's other publishers.
    private var history: [(header: RTPHeader, payload: [UInt8])?]

    /// - Parameter history: number of packets to store, at least 1.
    init(
        _ track: PlainTrack, of transport: PlainTransport, kind: MediaKind, history: Int, loss: LossPattern.Stream
    ) throws(LoadError) {
        guard let address = SocketAddress(transport.address, port: track.port) else {
            throw .address(transport.address)
        }
        self.address = millrace_address(address)
        self.kind = kind
        self.loss = loss
        ssrc = SSRC(track.ssrc)
        payloadType = PayloadType(track.payloadType)
        self.history = Array(repeating: nil, count: history)
    }

    /// Returns the next packet.
    mutating func packet(_ payload: MediaSchedule.Payload) -> [UInt8] {
        let header = RTPHeader(
            payloadType: payloadType, sequenceNumber: SequenceNumber(sequence), timestamp: timestamp(payload.captured),
            ssrc: ssrc, marker: payload.isLast, payloadLength: payload.bytes.count)
        history[Int(sequence) % history.count] = (header, payload.bytes)
        sequence &+= 1
        packets += 1
        payloadBytes += UInt64(payload.bytes.count)
        return payload.bytes.withUnsafeBytes(header.packet)
    }

    /// Returns a packet that was sent; nil if it is no longer stored.
    func packet(_ number: SequenceNumber) -> [UInt8]? {
        guard let (header, payload) = history[Int(number.rawValue) % history.count], header.sequenceNumber == number
        else { return nil }
        return payload.withUnsafeBytes(header.packet)
    }

    /// Returns a sender report with the source's CNAME (RFC 3550 section 6.4.1).
    func report(_ clock: LoadClock, now: Int64, cname: String) -> [UInt8] {
        var bytes: [UInt8] = []
        SenderReport(
            sender: ssrc, ntpTime: NTPTime(unixNanoseconds: clock.unixNanoseconds(at: now)),
            rtpTimestamp: timestamp(now), packetCount: UInt32(truncatingIfNeeded: packets),
            octetCount: UInt32(truncatingIfNeeded: payloadBytes)
        ).write(into: &bytes)
        SDES(chunks: [SDES.Chunk(source: ssrc, cname: cname)]).write(into: &bytes)
        return bytes
    }

    /// Returns the RTP timestamp of media captured at a monotonic time.
    private func timestamp(_ captured: Int64) -> RTPTimestamp {
        let ticks = MediaTime.nanoseconds(captured).ticks(clockRate: Int64(kind.clockRate))
        return RTPTimestamp(timestampOffset &+ UInt32(truncatingIfNeeded: ticks))
    }
}

import Forwarding
import MediaBase
import RTP

/// A path with its estimator, the record of sent packets, and the feedback that the relay makes for incoming packets.
final class EstimatedPath {
    private let configuration = BandwidthEstimator.Configuration()
    private let estimator: BandwidthEstimator
    private let sent: UnsafeMutablePointer<SentPacketRing>
    private var maker = FeedbackMaker(sender: SSRC(1), media: SSRC(2))
    private var madeFeedback: [TransportCC] = []
    private var now = MediaTime.seconds(1)
    private var reference: Int32 = 0

    init() {
        estimator = BandwidthEstimator(configuration, now: now)
        sent = .allocate(capacity: 1)
        sent.initialize(to: SentPacketRing())
    }

    deinit {
        sent.pointee.deallocate()
        sent.deallocate()
    }

    func apply(_ code: UInt8, _ input: inout FuzzInput) {
        switch code % 12 {
        case 0: now += .milliseconds(Int64(input.u8()))
        case 1: now += .milliseconds(Int64(input.u16()) * 10)
        case 2, 3: send(count: input.below(32) + 1, bytes: Int(input.u16() & 0x7ff) + 1, gap: Int64(input.u8()))
        case 4: estimator.receive(feedback(&input), sent: sent, now: now)
        case 5:
            send(count: input.below(8) + 1, bytes: 1_000, gap: 0)
            estimator.receive(feedback(&input), sent: sent, now: now)
        case 6: receiveBody(input.take(Int(input.u8())))
        case 7: receiveREMB(&input)
        case 8: receiveReports(&input)
        case 9:
            estimator.handleTimeout(sent: sent, now: max(now, estimator.deadline))
            now = max(now, estimator.deadline - .milliseconds(250))
        case 10: probe(wanted: input.u32())
        default: takeIncoming(&input)
        }
    }

    /// - Throws: if the estimate is not within its limits.
    func check() throws(FuzzViolation) {
        let limits = configuration.minimum.rawValue...configuration.maximum.rawValue
        try require(limits.contains(estimator.target.rawValue), "the target is \(estimator.target.rawValue)")
        try require(limits.contains(estimator.capacity.rawValue), "the capacity is \(estimator.capacity.rawValue)")
        try require(estimator.pacingRate.rawValue > 0, "the pacing rate is \(estimator.pacingRate.rawValue)")
        try require((0...1).contains(estimator.loss), "the loss is \(estimator.loss)")
        try require(estimator.queueDelay >= .zero, "the queue is \(estimator.queueDelay)")
        if let roundTrip = estimator.roundTrip {
            try require(roundTrip > .zero && roundTrip < .seconds(18 * 3_600 + 1), "the round trip is \(roundTrip)")
        }
        _ = estimator.isCongested
        for feedback in madeFeedback {
            var bytes: [UInt8] = []
            feedback.write(into: &bytes)
            try require(bytes.count <= 1_400, "feedback of \(bytes.count) bytes")
            let again = bytes.withUnsafeBytes { bytes in
                (try? RTCPPacket(parsing: bytes)).flatMap { try? TransportCC(parsing: $0) }
            }
            try require(again == feedback, "\(feedback) is read as \(String(describing: again))")
        }
        madeFeedback = []
    }

    private func send(count: Int, bytes: Int, gap: Int64, probe: UInt16 = 0) {
        for _ in 0..<count {
            _ = sent.pointee.append(bytes: bytes, probe: probe, now: now)
            now += .microseconds(gap * 10)
        }
    }

    /// Returns feedback on the packets sent last. Its reference time is moved by any 24-bit number, its deltas are any 16-bit ones.
    private func feedback(_ input: inout FuzzInput) -> TransportCC {
        let count = input.below(64) + 1
        let back = Int64(input.u8())
        let step = Int32(bitPattern: input.u32() << 8) >> 8
        let delta = input.i16()
        let change = Int16(input.i8())
        let missing = input.u16()
        reference = ((reference &+ step) << 8) >> 8
        let base = UInt16(truncatingIfNeeded: sent.pointee.next - Int64(count) - back)
        var arrivals: [TransportCC.Arrival] = []
        for index in 0..<count where missing & 1 << UInt16(index & 15) == 0 || index == 0 {
            arrivals.append(
                .init(
                    sequence: SequenceNumber(base &+ UInt16(index)),
                    delta: delta &+ change &* Int16(truncatingIfNeeded: index)))
        }
        return TransportCC(
            sender: SSRC(1), media: SSRC(2), baseSequence: SequenceNumber(base), statusCount: UInt16(count),
            referenceTime: reference, feedbackCount: 0, arrivals: arrivals)
    }

    /// Hands the estimator feedback with arbitrary bytes as its body.
    private func receiveBody(_ body: UnsafeRawBufferPointer) {
        var packet: [UInt8] = [0x8f, 205, 0, 0]
        packet += body.prefix(body.count & ~3)
        packet[3] = UInt8(truncatingIfNeeded: packet.count / 4 - 1)
        packet.withUnsafeBytes { bytes in
            guard let packet = try? RTCPPacket(parsing: bytes), let feedback = try? TransportCC(parsing: packet) else {
                return
            }
            estimator.receive(feedback, sent: sent, now: now)
        }
    }

    private func receiveREMB(_ input: inout FuzzInput) {
        var packet: [UInt8] = [0x8f, 206, 0, 4, 0, 0, 0, 1, 0, 0, 0, 0]
        packet += Array("REMB".utf8) + [0] + Array(input.take(3))
        while packet.count < 20 { packet.append(0) }
        packet.withUnsafeBytes { bytes in
            guard let packet = try? RTCPPacket(parsing: bytes), let remb = try? REMB(parsing: packet) else { return }
            estimator.receive(remb: remb.bitrate, now: now)
        }
    }

    private func receiveReports(_ input: inout FuzzInput) {
        let block = ReportBlock(
            source: SSRC(2), fractionLost: input.u8(), cumulativeLost: 0, highestSequence: 0, jitter: input.u32(),
            lastSenderReport: input.u32(), delaySinceLastSenderReport: input.u32())
        let clock = NTPTime(unixNanoseconds: now.rawValue)
        estimator.receive(reports: [block], roundTrip: block.roundTripTime(now: clock), now: now)
    }

    private func probe(wanted: UInt32) {
        estimator.wanted = .kilobits(Int64(wanted))
        guard estimator.mayProbe(now: now), let probe = estimator.takeProbe(now: now), probe.packets > 0 else { return }
        let gap = probe.duration.rawValue / Int64(probe.packets) / 10_000
        send(count: min(probe.packets, 64), bytes: probe.bytes / probe.packets, gap: gap, probe: probe.id)
    }

    /// Receives a packet with a transport-wide number, and makes feedback if it is due.
    private func takeIncoming(_ input: inout FuzzInput) {
        maker.receive(sequence: input.u16(), bytes: Int(input.u16()), now: now)
        if let feedback = maker.take(now: now) { madeFeedback.append(feedback) }
    }
}

import Forwarding
import MediaBase
import RTP

/// A publisher whose packets have any numbers, timestamps and payloads, and the producer that takes them.
final class HostilePublisher {
    let producer: Producer
    private var ssrc: SSRC
    private let payloadType: PayloadType
    private var sequence = UInt16(0xfff0)
    private var timestamp = UInt32(0xffff_0000)

    init(kind: MediaKind, ssrc: SSRC, now: MediaTime) {
        self.ssrc = ssrc
        payloadType = PayloadType(kind == .audio ? 111 : 96)
        producer = Producer(
            .init(kind: kind, ssrc: ssrc, payloadType: payloadType, retransmissionBytes: 128 << 10), now: now)
    }

    /// Sends a packet. Bits of the code: 0x04 marker, 0x08 a step of the number, 0x10 a jump of it, 0x20 a jump of the timestamp, 0x40 a
    /// payload from the input.
    /// - Returns: the packet, or nil if it is not forwarded.
    func send(_ code: UInt8, _ input: inout FuzzInput, now: MediaTime) -> UnsafeMutablePointer<StoredPacket>? {
        sequence &+= 1
        if code & 0x08 != 0 { sequence &+= UInt16(bitPattern: Int16(input.i8())) }
        if code & 0x10 != 0 { sequence &+= input.u16() }
        if code & 0x20 != 0 { timestamp &+= input.u32() } else if code & 0x04 != 0 { timestamp &+= 3_000 }
        var payload = Self.payloads[Int(code & 1)]
        if code & 0x40 != 0 {
            payload = Array(input.take(input.below(32)))
            payload += [UInt8](repeating: 0, count: Int(input.u8()) * 5)
        }
        let header = RTPHeader(
            payloadType: payloadType, sequenceNumber: SequenceNumber(sequence), timestamp: RTPTimestamp(timestamp),
            ssrc: ssrc, marker: code & 0x04 != 0, payloadLength: payload.count)
        var stored: UnsafeMutablePointer<StoredPacket>?
        let outcome = payload.withUnsafeBytes { producer.receive(header, payload: $0, now: now, stored: &stored) }
        return outcome == .forward ? stored : nil
    }

    /// A packet of another frame, and the start of a key frame, with PictureID, TL0PICIDX and temporal layer.
    private static let payloads: [[UInt8]] = [
        [0x90, 0xe0, 0x81, 0x03, 0x03, 0x40, 0x11, 0, 0, 1, 2, 3],
        [0x90, 0xe0, 0x81, 0x02, 0x03, 0x00, 0x10, 0, 0, 0x9d, 0x01, 0x2a, 0x40, 0x01, 0xf0, 0x00],
    ]

    func restart(_ input: inout FuzzInput) {
        ssrc = SSRC(ssrc.rawValue &+ 0x100)
        sequence = input.u16()
        timestamp = input.u32()
        producer.restart(ssrc: ssrc, first: SequenceNumber(sequence &+ 1))
    }

    /// Feeds sender reports, or takes the feedback that the relay sends to the publisher.
    func report(now: MediaTime, _ input: inout FuzzInput) throws(FuzzViolation) {
        switch input.u8() & 3 {
        case 0:
            producer.clock.report(
                ntp: NTPTime(rawValue: input.u64()), timestamp: RTPTimestamp(input.u32()), now: now)
        case 1:
            guard let time = producer.clock.ntp(of: RTPTimestamp(input.u32())) else { break }
            _ = producer.clock.timestamp(of: time)
            _ = producer.clock.timestamp(of: NTPTime(rawValue: input.u64()))
        case 2:
            let requested = producer.nack.take(now: now)
            try require(requested.count <= 256, "\(requested.count) packets are asked for")
            try require(producer.nack.missingCount <= NACKGenerator.maximumMissing, "too many are missing")
            if producer.nack.needsKeyFrame { producer.nack.keyFrameRequested() }
        default:
            if let block = producer.reportBlock(now: now) {
                try require((-0x80_0000...0x7f_ffff).contains(block.cumulativeLost), "\(block.cumulativeLost) lost")
            }
            let measured = producer.measured(now: now)
            try require(measured.bitrates.allSatisfy { $0.rawValue >= 0 }, "the rates are \(measured.bitrates)")
            _ = producer.statistics.jitter
            _ = producer.cachedKeyFrame()
            _ = producer.requestsDue
        }
    }
}

import MediaBase
import RTP

/// RTCP datagrams: each packet is read, written and read again.
enum RTCPFuzz {
    static func run(_ bytes: UnsafeRawBufferPointer) throws(FuzzViolation) {
        guard let packets = try? RTCPCompound(parsing: bytes) else { return }
        var length = 0
        for packet in packets {
            length += packet.length
            try read(packet)
        }
        try require(length == bytes.count, "the packets have \(length) of \(bytes.count) bytes")
    }

    private static func read(_ packet: RTCPPacket) throws(FuzzViolation) {
        switch packet.kind {
        case .senderReport:
            guard let report = try? SenderReport(parsing: packet) else { return }
            use(report.ntpTime, report.blocks)
            try same(report, report.write) { (p) throws(RTPError) in try SenderReport(parsing: p) }
        case .receiverReport:
            guard let report = try? ReceiverReport(parsing: packet) else { return }
            use(NTPTime(rawValue: 0), report.blocks)
            try same(report, report.write) { (p) throws(RTPError) in try ReceiverReport(parsing: p) }
        case .sdes:
            guard let sdes = try? SDES(parsing: packet) else { return }
            _ = sdes.chunks.map(\.cname)
            try same(sdes, sdes.write) { (p) throws(RTPError) in try SDES(parsing: p) }
        case .bye:
            // Text that is not UTF-8 gets longer, and its end is cut off.
            guard let bye = try? BYE(parsing: packet), bye.reason?.utf8.count ?? 0 <= 255 else { return }
            try same(bye, bye.write) { (p) throws(RTPError) in try BYE(parsing: p) }
        case .genericNACK:
            guard let nack = try? GenericNACK(parsing: packet) else { return }
            try same(Set(nack.sequences), nack.write) { (p) throws(RTPError) in
                try Set(GenericNACK(parsing: p).sequences)
            }
        case .transportCC:
            guard let feedback = try? TransportCC(parsing: packet) else { return }
            feedback.forEachArrival { _, _ in }
            try same(feedback, feedback.write) { (p) throws(RTPError) in try TransportCC(parsing: p) }
        case .pli:
            guard let pli = try? PLI(parsing: packet) else { return }
            try same(pli, pli.write) { (p) throws(RTPError) in try PLI(parsing: p) }
        case .fir:
            guard let fir = try? FIR(parsing: packet) else { return }
            try same(fir, fir.write) { (p) throws(RTPError) in try FIR(parsing: p) }
        case .remb:
            guard let remb = try? REMB(parsing: packet) else { return }
            try require(remb.bitrate.rawValue >= 0, "REMB of \(remb.bitrate.rawValue) bit/s")
            // The largest rate stands for all that do not fit; it is written rounded down.
            guard remb.bitrate.rawValue < .max else { return }
            try same(remb, remb.write) { (p) throws(RTPError) in try REMB(parsing: p) }
        case .xr: _ = packet.firstSSRC
        case .other:
            _ = packet.firstSSRC
            guard let application = try? APP(parsing: packet) else { return }
            try same(application, application.write) { (p) throws(RTPError) in try APP(parsing: p) }
        }
    }

    /// Arithmetic on the times that a peer sends.
    private static func use(_ time: NTPTime, _ blocks: [ReportBlock]) {
        _ = time.unixNanoseconds
        _ = time.distance(from: NTPTime(rawValue: 1 << 63))
        _ = time.advanced(by: .seconds(-1))
        for block in blocks {
            _ = block.roundTripTime(now: time)
            _ = NTPTime.span(compact: block.delaySinceLastSenderReport)
        }
    }

    private static func same<Value: Hashable>(
        _ value: Value, _ write: (inout [UInt8]) -> Void, _ read: (RTCPPacket) throws(RTPError) -> Value
    ) throws(FuzzViolation) {
        var bytes: [UInt8] = []
        write(&bytes)
        let again = bytes.withUnsafeBytes { bytes -> Value? in
            guard let packet = try? RTCPPacket(parsing: bytes), packet.length == bytes.count else { return nil }
            return try? read(packet)
        }
        try require(again == value, "\(value) is read as \(String(describing: again))")
    }
}

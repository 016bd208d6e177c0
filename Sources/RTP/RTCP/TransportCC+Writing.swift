package import MediaBase

extension TransportCC {
    /// - Precondition: `arrivals` are in strictly ascending order of sequence and within `statusCount` of `baseSequence`.
    package func write(into bytes: inout [UInt8]) {
        var symbols = [Symbol](repeating: .notReceived, count: Int(statusCount))
        for arrival in arrivals {
            symbols[Int(arrival.sequence.rawValue &- baseSequence.rawValue)] =
                arrival.isSmall ? .smallDelta : .largeDelta
        }
        bytes.appendRTCP(.transportFeedback, count: Int(RTCPKind.transportCCFormat)) { bytes in
            bytes.appendBigEndian(sender.rawValue)
            bytes.appendBigEndian(media.rawValue)
            bytes.appendBigEndian(baseSequence.rawValue)
            bytes.appendBigEndian(statusCount)
            bytes.appendBigEndian(UInt32(bitPattern: referenceTime) << 8 | UInt32(feedbackCount))
            Self.appendChunks(symbols, to: &bytes)
            for arrival in arrivals {
                if arrival.isSmall {
                    bytes.append(UInt8(truncatingIfNeeded: arrival.delta))
                } else {
                    bytes.appendBigEndian(UInt16(bitPattern: arrival.delta))
                }
            }
        }
    }

    /// Appends packet chunks; chooses, at each position, the chunk type that covers the most packets.
    private static func appendChunks(_ symbols: [Symbol], to bytes: inout [UInt8]) {
        var index = 0
        while index < symbols.count {
            let first = symbols[index]
            let run = symbols[index...].prefix(0x1fff).prefix { $0 == first }.count
            let oneBit = symbols[index...].prefix(14).prefix { $0 != .largeDelta }.count
            let fitsOneBit = oneBit == min(14, symbols.count - index)
            let vector = fitsOneBit ? oneBit : min(7, symbols.count - index)
            if run >= vector {
                bytes.appendBigEndian(first.rawValue << 13 | UInt16(truncatingIfNeeded: run))
                index += run
                continue
            }
            let bits = fitsOneBit ? 1 : 2
            var chunk: UInt16 = bits == 1 ? 0x8000 : 0xc000
            var shift = 14
            for symbol in symbols[index..<(index + vector)] {
                shift -= bits
                chunk |= symbol.rawValue << UInt16(shift)
            }
            bytes.appendBigEndian(chunk)
            index += vector
        }
    }

    /// Returns feedback for packets with these arrival times.
    /// - Parameters:
    ///   - packets: unwrapped transport-wide sequence numbers, strictly ascending, with arrival times.
    ///   - previous: last packet that earlier feedback covered; missing packets after it are reported as lost.
    /// - Returns: nil if there are no packets. One feedback packet spans at most 8 s between two arrivals and 65,535 packets; it
    ///   covers the first `count` packets, and the rest are left for the next feedback.
    package static func make(
        sender: SSRC, media: SSRC, feedbackCount: UInt8, packets: [(sequence: Int64, arrival: MediaTime)],
        previous: Int64? = nil
    ) -> (feedback: TransportCC, count: Int)? {
        guard let first = packets.first else { return nil }
        var base = first.sequence
        if let previous, previous < base, base - previous <= 0x7fff { base = previous + 1 }
        // 250 us units; the reference is the 64 ms step at or below the first arrival.
        let reference = units(first.arrival) >> 8
        var last = reference << 8
        var arrivals: [Arrival] = []
        var end = base
        for (sequence, arrival) in packets {
            let now = units(arrival)
            guard sequence >= end, sequence - base < 0xffff, let delta = Int16(exactly: now - last) else { break }
            arrivals.append(
                Arrival(sequence: SequenceNumber(UInt16(truncatingIfNeeded: sequence)), delta: delta))
            last = now
            end = sequence + 1
        }
        let wrapped = (Int32(truncatingIfNeeded: reference) << 8) >> 8
        let feedback = TransportCC(
            sender: sender, media: media, baseSequence: SequenceNumber(UInt16(truncatingIfNeeded: base)),
            statusCount: UInt16(truncatingIfNeeded: end - base), referenceTime: wrapped, feedbackCount: feedbackCount,
            arrivals: arrivals)
        return (feedback, arrivals.count)
    }

    private static func units(_ time: MediaTime) -> Int64 {
        time.rawValue >= 0 ? time.rawValue / 250_000 : -((249_999 - time.rawValue) / 250_000)
    }
}

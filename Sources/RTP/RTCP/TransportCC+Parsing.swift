internal import MediaBase

extension TransportCC {
    /// What a packet chunk says of one packet.
    enum Symbol: UInt16 {
        case notReceived = 0
        case smallDelta = 1
        case largeDelta = 2
    }

    package init(parsing packet: RTCPPacket) throws(RTPError) {
        let body = try packet.body(of: .transportCC, atLeast: 16, .feedbackControl)
        self.init(
            sender: SSRC(body.u32(0)), media: SSRC(body.u32(4)), baseSequence: SequenceNumber(body.u16(8)),
            statusCount: body.u16(10), referenceTime: Int32(bitPattern: body.u32(12)) >> 8, feedbackCount: body.u8(15),
            arrivals: [])
        let end = packet.body.count
        var deltas = 16
        // The deltas start behind the last chunk, so the chunks are walked twice: to find that place, then with the deltas.
        try Self.forEachRun(body, at: &deltas, end: end, count: statusCount) { _, _, _ in true }
        var chunks = 16
        var delta = deltas
        var isCut = false
        try Self.forEachRun(body, at: &chunks, end: end, count: statusCount) { index, length, symbol in
            guard symbol != .notReceived else { return true }
            let size = symbol == .smallDelta ? 1 : 2
            guard size * length <= end - delta else {
                isCut = true
                return false
            }
            for step in 0..<length {
                arrivals.append(
                    Arrival(
                        sequence: baseSequence.advanced(by: index + step),
                        delta: size == 1 ? Int16(body.u8(delta)) : Int16(bitPattern: body.u16(delta))))
                delta += size
            }
            return true
        }
        guard !isCut else { throw .truncated(.transportDelta) }
    }

    /// Walks the packet chunks (sections 3.1.3 and 3.1.4), as runs of equal symbols, until `count` packets are told of or `each`
    /// returns false.
    ///
    ///     run length:    |0| S |   13 bits of run length  |
    ///     status vector: |1|0| 14 symbols of one bit      |
    ///                    |1|1| 7 symbols of two bits      |
    private static func forEachRun(
        _ body: UnsafeRawPointer, at offset: inout Int, end: Int, count: UInt16,
        _ each: (_ index: Int, _ length: Int, _ symbol: Symbol) -> Bool
    ) throws(RTPError) {
        let total = Int(count)
        var index = 0
        while index < total {
            guard offset + 2 <= end else { throw .truncated(.transportStatus) }
            let chunk = body.u16(offset)
            offset += 2
            if chunk & 0x8000 == 0 {
                guard let symbol = Symbol(rawValue: chunk >> 13) else { throw .invalid(.transportStatus) }
                let length = min(Int(chunk & 0x1fff), total - index)
                guard length > 0 else { throw .invalid(.transportStatus) }
                guard each(index, length, symbol) else { return }
                index += length
                continue
            }
            let bits = chunk & 0x4000 == 0 ? 1 : 2
            var shift = 14
            while shift > 0, index < total {
                shift -= bits
                let value = (chunk >> UInt16(shift)) & (bits == 1 ? 1 : 3)
                guard let symbol = Symbol(rawValue: value) else { throw .invalid(.transportStatus) }
                guard each(index, 1, symbol) else { return }
                index += 1
            }
        }
    }
}

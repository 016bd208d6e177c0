import MediaBase

extension TransportCC {
    /// Status of one packet in a packet chunk.
    enum Symbol: UInt16 {
        case notReceived = 0
        case smallDelta = 1
        case largeDelta = 2
    }

    package init(parsing packet: RTCPPacket) throws(RTPError) {
        self.init()
        try read(packet)
    }

    /// Parses `packet` like `init(parsing:)`, but reuses the memory of `arrivals`. The value is undefined after an error.
    package mutating func read(_ packet: RTCPPacket) throws(RTPError) {
        let body = try packet.body(of: .transportCC, atLeast: 16, .feedbackControl)
        sender = SSRC(body.u32(0))
        media = SSRC(body.u32(4))
        baseSequence = SequenceNumber(body.u16(8))
        statusCount = body.u16(10)
        referenceTime = Int32(bitPattern: body.u32(12)) >> 8
        feedbackCount = body.u8(15)
        // The deltas follow the last chunk, so the chunks are read twice: first to find the start of the deltas, then together with
        // the deltas.
        let end = packet.body.count
        var came = 0
        var deltaBytes = 0
        var deltas = 16
        try Self.forEachRun(body, at: &deltas, end: end, count: statusCount) { _, length, symbol in
            came += symbol == .notReceived ? 0 : length
            deltaBytes += Int(symbol.rawValue) * length
        }
        guard deltaBytes <= end - deltas else { throw .truncated(.transportDelta) }
        arrivals.removeAll(keepingCapacity: true)
        arrivals.append(
            contentsOf: repeatElement(Arrival(sequence: baseSequence, delta: 0), count: came))
        try arrivals.withUnsafeMutableBufferPointer { arrivals throws(RTPError) in
            var arrivalIndex = 0
            var delta = deltas
            var chunks = 16
            try Self.forEachRun(body, at: &chunks, end: end, count: statusCount) { index, length, symbol in
                guard symbol != .notReceived else { return }
                for step in 0..<length {
                    let isSmall = symbol == .smallDelta
                    arrivals[arrivalIndex] = Arrival(
                        sequence: baseSequence.advanced(by: index + step),
                        delta: isSmall ? Int16(body.u8(delta)) : Int16(bitPattern: body.u16(delta)))
                    delta += isSmall ? 1 : 2
                    arrivalIndex += 1
                }
            }
        }
    }

    /// Iterates over the packet chunks (sections 3.1.3 and 3.1.4) as runs of equal symbols, until they cover `count` packets.
    ///
    ///     run length:    |0| S |   13 bits of run length  |
    ///     status vector: |1|0| 14 symbols of one bit      |
    ///                    |1|1| 7 symbols of two bits      |
    @inline(__always)
    private static func forEachRun(
        _ body: UnsafeRawPointer, at offset: inout Int, end: Int, count: UInt16,
        _ each: (_ index: Int, _ length: Int, _ symbol: Symbol) -> Void
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
                each(index, length, symbol)
                index += length
                continue
            }
            let bits = chunk & 0x4000 == 0 ? 1 : 2
            var shift = 14
            while shift > 0, index < total {
                shift -= bits
                let value = (chunk >> UInt16(shift)) & (bits == 1 ? 1 : 3)
                guard let symbol = Symbol(rawValue: value) else { throw .invalid(.transportStatus) }
                each(index, 1, symbol)
                index += 1
            }
        }
    }
}

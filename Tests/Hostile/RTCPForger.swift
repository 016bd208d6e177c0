import MillraceTestKit

/// Makes compound RTCP packets (RFC 3550 section 6.1) whose fields are extreme, and some whose structure is damaged.
struct RTCPForger {
    /// SSRC of the sender of the packets.
    var sender: UInt32
    /// SSRCs that the packets report on.
    var streams: [UInt32]
    /// Last received RTP sequence number; requests for retransmission are near it.
    var lastSequence: UInt16 = 0
    /// Last received transport-wide sequence number; feedback is near it.
    var lastTransportSequence: UInt16 = 0
    private var feedbackCount: UInt8 = 0
    /// Reference time in units of 64 ms; some packets move it as far as its 24 bits allow.
    private var referenceTime: Int32 = 0

    init(sender: UInt32, streams: [UInt32]) {
        self.sender = sender
        self.streams = streams
    }

    /// Records a packet from the relay, for at most 8 streams.
    mutating func note(_ ssrc: UInt32, sequence: UInt16) {
        lastSequence = sequence
        if !streams.contains(ssrc), streams.count < 8 { streams.append(ssrc) }
    }

    /// Returns the next compound packet, of at most 1,200 bytes.
    mutating func next(using random: inout SeededGenerator) -> [UInt8] {
        var compound: [UInt8] = random.below(2) == 0 ? senderReport(using: &random) : receiverReport(using: &random)
        if random.below(10) == 0 { compound = [] }
        for _ in 0..<random.below(4) {
            switch random.below(11) {
            case 0: compound += sdes(using: &random)
            case 1: compound += random.below(8) == 0 ? bye(using: &random) : extendedReport(using: &random)
            case 2: compound += nack(using: &random)
            case 3: compound += packet(206, 1, head(using: &random))
            case 4: compound += fullIntraRequest(using: &random)
            case 5: compound += estimate(using: &random)
            case 6: compound += extendedReport(using: &random)
            case 7: compound += unknown(using: &random)
            default: compound += transportFeedback(using: &random)
            }
        }
        if compound.isEmpty { compound = transportFeedback(using: &random) }
        compound = Array(compound.prefix(1_200))
        // The first eight bytes are sent in the clear; damage there would only make the packet fail authentication.
        if random.below(5) == 0, compound.count > 8 { ByteMutator.mutate(&compound, from: 8, using: &random) }
        while compound.count < 8 || compound.count % 4 != 0 && random.below(8) != 0 { compound.append(0) }
        return compound
    }

    private func stream(using random: inout SeededGenerator) -> UInt32 {
        guard !streams.isEmpty, random.below(12) != 0 else { return UInt32(truncatingIfNeeded: random.next()) }
        return streams[random.below(streams.count)]
    }

    private func head(using random: inout SeededGenerator) -> [UInt8] {
        var body: [UInt8] = []
        body.append(UInt64(sender), bytes: 4)
        body.append(UInt64(stream(using: &random)), bytes: 4)
        return body
    }

    private func packet(_ type: UInt8, _ count: Int, _ body: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = [0x80 | UInt8(truncatingIfNeeded: count & 0x1f), type]
        bytes.append(UInt64(body.count / 4), bytes: 2)
        return bytes + body + [UInt8](repeating: 0, count: (4 - body.count % 4) % 4)
    }

    private func reportBlocks(_ count: Int, using random: inout SeededGenerator) -> [UInt8] {
        var body: [UInt8] = []
        for _ in 0..<count {
            body.append(UInt64(stream(using: &random)), bytes: 4)
            for _ in 0..<5 { body.append(ByteMutator.number(bits: 32, using: &random), bytes: 4) }
        }
        return body
    }

    private func senderReport(using random: inout SeededGenerator) -> [UInt8] {
        var body: [UInt8] = []
        body.append(UInt64(streams.isEmpty ? sender : streams[random.below(streams.count)]), bytes: 4)
        body.append(ByteMutator.number(bits: 64, using: &random), bytes: 8)
        for _ in 0..<3 { body.append(ByteMutator.number(bits: 32, using: &random), bytes: 4) }
        let count = random.below(4)
        let claimed = random.below(30) == 0 ? 31 : count
        return packet(200, claimed, body + reportBlocks(count, using: &random))
    }

    private func receiverReport(using random: inout SeededGenerator) -> [UInt8] {
        var body: [UInt8] = []
        body.append(UInt64(sender), bytes: 4)
        let count = random.below(4)
        return packet(201, random.below(30) == 0 ? 31 : count, body + reportBlocks(count, using: &random))
    }

    private func sdes(using random: inout SeededGenerator) -> [UInt8] {
        var body: [UInt8] = []
        for _ in 0...random.below(3) {
            body.append(UInt64(stream(using: &random)), bytes: 4)
            for _ in 0...random.below(3) {
                let length = random.below(40)
                body.append(UInt8(random.below(10)))
                body.append(random.below(10) == 0 ? 0xff : UInt8(length))
                body += random.bytes(length)
            }
            body.append(0)
            while body.count % 4 != 0 { body.append(0) }
        }
        return packet(202, 1 + random.below(3), body)
    }

    private func bye(using random: inout SeededGenerator) -> [UInt8] {
        var body: [UInt8] = []
        body.append(UInt64(stream(using: &random)), bytes: 4)
        body += [UInt8(truncatingIfNeeded: random.next()), 0x62, 0x79, 0x65]
        return packet(203, random.below(4), body)
    }

    private func nack(using random: inout SeededGenerator) -> [UInt8] {
        var body = head(using: &random)
        for _ in 0...random.below(random.below(20) == 0 ? 200 : 8) {
            let near = UInt64(lastSequence &- UInt16(random.below(600)))
            body.append(random.below(6) == 0 ? random.next() : near, bytes: 2)
            body.append(ByteMutator.number(bits: 16, using: &random), bytes: 2)
        }
        return packet(205, 1, body)
    }

    private func fullIntraRequest(using random: inout SeededGenerator) -> [UInt8] {
        var body = head(using: &random)
        for _ in 0...random.below(4) {
            body.append(UInt64(stream(using: &random)), bytes: 4)
            body.append(random.next(), bytes: 4)
        }
        return packet(206, 4, body)
    }

    /// Returns a REMB (draft-alvestrand-rmcat-remb-03 section 2.2) of any bit rate, up to 2^18 times 2^63.
    private func estimate(using random: inout SeededGenerator) -> [UInt8] {
        var body = head(using: &random)
        body += Array("REMB".utf8)
        let count = random.below(4)
        body.append(random.below(10) == 0 ? 255 : UInt8(count))
        body.append(ByteMutator.number(bits: 24, using: &random), bytes: 3)
        for _ in 0..<count { body.append(UInt64(stream(using: &random)), bytes: 4) }
        return packet(206, 15, body)
    }

    /// Returns an XR (RFC 3611) with receiver reference time, DLRR, and blocks of unknown types.
    private func extendedReport(using random: inout SeededGenerator) -> [UInt8] {
        var body: [UInt8] = []
        body.append(UInt64(sender), bytes: 4)
        for _ in 0...random.below(3) {
            let words = random.below(6)
            body += [[4, 5, UInt8(random.below(256))][random.below(3)], 0]
            body.append(random.below(10) == 0 ? 0xffff : UInt64(words), bytes: 2)
            for _ in 0..<words { body.append(ByteMutator.number(bits: 32, using: &random), bytes: 4) }
        }
        return packet(207, 0, body)
    }

    private func unknown(using random: inout SeededGenerator) -> [UInt8] {
        packet(UInt8(192 + random.below(32)), random.below(32), head(using: &random) + random.bytes(random.below(64)))
    }

    /// Returns a compound of `blocks` feedback packets about the newest packet, each with a reference time that is 2^23 - 1 units later.
    mutating func risingFeedback(blocks: Int) -> [UInt8] {
        var compound: [UInt8] = []
        for _ in 0..<blocks {
            feedbackCount &+= 1
            referenceTime &+= 0x7f_ffff
            var body: [UInt8] = []
            body.append(UInt64(sender), bytes: 4)
            body.append(UInt64(streams.first ?? 0), bytes: 4)
            body.append(UInt64(lastTransportSequence), bytes: 2)
            body.append(1, bytes: 2)
            body.append(UInt64(UInt32(bitPattern: referenceTime) & 0xff_ffff), bytes: 3)
            // The packet arrived 0 us after the reference time.
            body += [feedbackCount, 0x20, 0x01, 0x00, 0x00]
            compound += packet(205, 15, body)
        }
        return compound
    }

    /// Returns feedback (draft-holmer-rmcat-transport-wide-cc-extensions-01 section 3.1) with extreme reference time and deltas.
    private mutating func transportFeedback(using random: inout SeededGenerator) -> [UInt8] {
        feedbackCount &+= 1
        switch random.below(6) {
        case 0: referenceTime &+= 0x7f_ffff
        case 1: referenceTime &-= 0x7f_ffff
        case 2: referenceTime = Int32(truncatingIfNeeded: random.next())
        default: referenceTime &+= 1
        }
        let count = 1 + random.below(20)
        var body = head(using: &random)
        let base =
            random.below(8) == 0 ? UInt16(truncatingIfNeeded: random.next()) : lastTransportSequence &- UInt16(count)
        body.append(UInt64(base), bytes: 2)
        body.append(random.below(12) == 0 ? 0xffff : UInt64(count), bytes: 2)
        body.append(UInt64(UInt32(bitPattern: referenceTime) & 0xff_ffff), bytes: 3)
        body.append(feedbackCount)
        let large = random.below(2) == 0
        body.append(UInt64(large ? 0x4000 : 0x2000) | UInt64(count), bytes: 2)
        for _ in 0..<count {
            body.append(ByteMutator.number(bits: large ? 16 : 8, using: &random), bytes: large ? 2 : 1)
        }
        while body.count % 4 != 0 { body.append(0) }
        return packet(205, 15, body)
    }
}

import SRTP

/// A sender that has the keys, and the context that takes its packets.
final class ProtectedPeer {
    private let suite: SRTPSuite
    private let ingress: IngressContext
    private let protector = FanoutProtector(.evp)
    private let context: UnsafeMutablePointer<EgressContext>
    /// Packet index of the next packet of each stream.
    private var indexes: [UInt32: UInt64] = [:]

    init?(_ suite: SRTPSuite) {
        let length = suite.masterKeyLength + suite.masterSaltLength
        guard let key = try? SRTPKey(suite: suite, bytes: [UInt8](repeating: 9, count: length)) else { return nil }
        self.suite = suite
        ingress = IngressContext(key: key, maximumStreams: 8)
        context = protector.makeContext(key: key)
    }

    deinit { protector.freeContext(context) }

    func apply(_ code: UInt8, _ input: inout FuzzInput) throws(FuzzViolation) {
        switch code & 7 {
        case 0, 1:
            var packet = Array(input.take(Int(input.u8())))
            try require(!unprotect(&packet), "a forged packet is taken")
        case 2:
            var packet = Array(input.take(Int(input.u8())))
            try require(!unprotect(&packet, isRTCP: true), "a forged RTCP packet is taken")
        case 3: try sendRTCP(input.take(Int(input.u8())))
        default: try send(stream: UInt32(code >> 3), &input)
        }
    }

    private func send(stream ssrc: UInt32, _ input: inout FuzzInput) throws(FuzzViolation) {
        let start = indexes[ssrc] ?? UInt64(input.u16())
        let step = Int64(input.i16())
        let index = step < 0 && start < step.magnitude ? start : UInt64(Int64(start) + step)
        indexes[ssrc] = index + 1
        let payload = input.take(input.below(64))
        var packet = [0x80, 96, UInt8(truncatingIfNeeded: index >> 8), UInt8(truncatingIfNeeded: index), 0, 0, 0, 0]
        packet += [0, 0, 0, UInt8(truncatingIfNeeded: ssrc)]
        packet += payload
        let plain = packet
        packet += [UInt8](repeating: 0, count: suite.tagLength)
        let length = packet.count - suite.tagLength
        packet.withUnsafeMutableBytes { bytes in
            guard let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
            var job = ProtectJob(
                context: context, ssrc: ssrc, index: index, source: UnsafePointer(base + 12),
                destination: base, headerLength: 12, payloadLength: UInt32(length - 12))
            protector.protect(&job, count: 1)
        }
        let copy = packet
        // A jump may be too far for the receiver to know the rollover counter: then the packet is refused.
        if unprotect(&packet) { try require(packet == plain, "a packet is decrypted to another") }
        var again = copy
        try require(!unprotect(&again), "a packet is taken twice")
    }

    private func sendRTCP(_ body: UnsafeRawBufferPointer) throws(FuzzViolation) {
        var packet: [UInt8] = [0x80, 201, 0, 1, 0, 0, 0, 1]
        packet += body.prefix(body.count & ~3)
        let plain = packet
        var length = packet.count
        packet += [UInt8](repeating: 0, count: suite.rtcpOverhead)
        let capacity = packet.count
        packet.withUnsafeMutableBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            try? protector.protectRTCP(context, base, length: &length, capacity: capacity)
        }
        try require(length == capacity, "an RTCP packet was not protected")
        let copy = packet
        try require(unprotect(&packet, isRTCP: true) && packet == plain, "an RTCP packet is decrypted to another")
        var again = copy
        try require(!unprotect(&again, isRTCP: true), "an RTCP packet is taken twice")
    }

    /// - Returns: whether the packet is authentic and new; it is then decrypted.
    private func unprotect(_ packet: inout [UInt8], isRTCP: Bool = false) -> Bool {
        // A block of exactly the packet's length, so that AddressSanitizer detects a read beyond it.
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: packet.count, alignment: 1)
        defer { block.deallocate() }
        block.copyBytes(from: packet)
        guard let base = block.baseAddress else { return false }
        var length = packet.count
        do throws(SRTPFailure) {
            if isRTCP {
                try ingress.unprotectRTCP(base, length: &length)
            } else {
                try ingress.unprotect(base, length: &length)
            }
        } catch {
            return false
        }
        packet = Array(block.prefix(length))
        return true
    }
}

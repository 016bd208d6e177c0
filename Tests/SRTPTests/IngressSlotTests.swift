import Testing

@testable import SRTP

@Suite("Decryption with many SSRCs under one key") struct IngressSlotTests {
    private static let key = SRTPKey.random(for: .aeadAES128GCM)

    private func packet(_ ssrc: UInt32, _ sequence: UInt16, _ sender: SRTPContext) throws -> [UInt8] {
        var bytes: [UInt8] = [0x80, 96, UInt8(sequence >> 8), UInt8(sequence & 0xff), 0, 0, 0, 0]
        bytes += (0..<4).map { UInt8(truncatingIfNeeded: ssrc >> (24 - 8 * UInt32($0))) } + [1, 2, 3, 4]
        var length = bytes.count
        bytes += [UInt8](repeating: 0, count: 32)
        try bytes.withUnsafeMutableBytes {
            try sender.protect($0.baseAddress!, length: &length, capacity: $0.count)
        }
        return Array(bytes[..<length])
    }

    private func open(_ bytes: [UInt8], _ context: IngressContext, _ slot: inout Int) -> SRTPFailure? {
        var bytes = bytes
        var length = bytes.count
        return bytes.withUnsafeMutableBytes { bytes -> SRTPFailure? in
            do throws(SRTPFailure) {
                try context.unprotect(bytes.baseAddress!, length: &length, slot: &slot)
                return nil
            } catch { return error }
        }
    }

    @Test("Slots that callers keep find the state of each SSRC, also after others were removed") func slots() throws {
        let sender = try SRTPContext(key: Self.key, direction: .outbound)
        let context = IngressContext(key: Self.key, maximumStreams: 100)
        var slots = [Int](repeating: 7, count: 100)
        for round in 0..<3 {
            for ssrc in 0..<100 where round < 2 || ssrc % 3 != 0 {
                let failure = open(try packet(UInt32(ssrc + 1), UInt16(round), sender), context, &slots[ssrc])
                #expect(failure == nil)
            }
            if round == 1 {
                for ssrc in stride(from: 0, to: 100, by: 3) { context.removeStream(ssrc: UInt32(ssrc + 1)) }
            }
        }
        let again = try packet(2, 9, sender)
        let results = (0..<2).map { _ in open(again, context, &slots[1]) }
        #expect(results == [nil, .replay])
    }

    @Test("A removed SSRC makes room for another one") func room() throws {
        let sender = try SRTPContext(key: Self.key, direction: .outbound)
        let context = IngressContext(key: Self.key, maximumStreams: 1)
        var slot = 0
        var results = [open(try packet(1, 1, sender), context, &slot)]
        results.append(open(try packet(2, 1, sender), context, &slot))
        context.removeStream(ssrc: 1)
        context.removeStream(ssrc: 5)
        results.append(open(try packet(2, 2, sender), context, &slot))
        #expect(results == [nil, .unknownStream, nil])
    }
}

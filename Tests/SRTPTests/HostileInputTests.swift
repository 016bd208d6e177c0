import MillraceTestKit
import Testing

@testable import SRTP

@Suite("Packets that must not be accepted")
struct HostileInputTests {
    private typealias Unprotect = (UnsafeMutableRawPointer, inout Int) throws -> Void

    private func protected(_ key: SRTPKey, _ packet: [UInt8], control: Bool = false) throws -> [UInt8] {
        let context = try SRTPContext(key: key, direction: .outbound)
        var bytes = packet + [UInt8](repeating: 0, count: 20)
        var length = packet.count
        if control {
            try context.protectRTCP(&bytes, length: &length, capacity: bytes.count)
        } else {
            try context.protect(&bytes, length: &length, capacity: bytes.count)
        }
        return Array(bytes.prefix(length))
    }

    @Test("Another key causes an authentication failure and changes nothing", arguments: SRTPSuite.allCases)
    func wrongKey(_ suite: SRTPSuite) throws {
        var random = SeededGenerator(seed: 21)
        let key = SRTPKey.random(for: suite)
        let packet = RandomPacket(ssrc: 1, sequenceNumber: 100, payloadLength: 200, using: &random)
        let genuine = try protected(key, packet.bytes)
        let later = RandomPacket(ssrc: 1, sequenceNumber: 30_000, payloadLength: 200, using: &random)
        let forged = try protected(.random(for: suite), later.bytes)
        let reference = try SRTPContext(key: key, direction: .inbound)
        let ingress = IngressContext(key: key)
        let both: [Unprotect] = [
            { p, n in try reference.unprotect(p, length: &n) },
            { p, n in try ingress.unprotect(p, length: &n) },
        ]
        for unprotect in both {
            #expect(outcome(forged, unprotect) == .failure(.authentication))
            #expect(outcome(genuine, unprotect) == .success(packet.bytes))
            #expect(outcome(genuine, unprotect) == .failure(.replay))
            #expect(outcome(forged, unprotect) == .failure(.authentication))
        }
    }

    @Test("Every changed byte is detected", arguments: SRTPSuite.allCases)
    func changedBytes(_ suite: SRTPSuite) throws {
        var random = SeededGenerator(seed: 22)
        let key = SRTPKey.random(for: suite)
        let packet = RandomPacket(ssrc: 1, sequenceNumber: 100, payloadLength: 40, using: &random)
        let genuine = try protected(key, packet.bytes)
        let control = randomControlPacket(ssrc: 4, using: &random)
        let genuineControl = try protected(key, control, control: true)
        let fan = FanoutProtector()
        let context = fan.makeContext(key: .random(for: suite), peerKey: key)
        defer { fan.freeContext(context) }
        let ingress = IngressContext(key: key)
        for position in genuine.indices {
            var changed = genuine
            changed[position] ^= 1 << UInt8(random.below(8))
            guard
                case .failure = outcome(changed, { p, n in try ingress.unprotect(p, length: &n) })
            else {
                Issue.record("a change at byte \(position) was not noticed")
                continue
            }
        }
        for position in genuineControl.indices {
            var changed = genuineControl
            changed[position] ^= 1 << UInt8(random.below(8))
            let result = outcome(changed) { p, n in try fan.unprotectRTCP(context, p, length: &n) }
            #expect(result == .failure(.authentication), "byte \(position)")
        }
        #expect(
            outcome(genuineControl) { p, n in try fan.unprotectRTCP(context, p, length: &n) }
                == .success(control))
    }

    @Test("Every truncation is refused by all contexts", arguments: SRTPSuite.allCases)
    func truncation(_ suite: SRTPSuite) throws {
        var random = SeededGenerator(seed: 23)
        let key = SRTPKey.random(for: suite)
        let rtp = try protected(
            key, RandomPacket(ssrc: 1, sequenceNumber: 1, payloadLength: 60, using: &random).bytes)
        let rtcp = try protected(key, randomControlPacket(ssrc: 4, using: &random), control: true)
        let fan = FanoutProtector()
        let context = fan.makeContext(key: .random(for: suite), peerKey: key)
        defer { fan.freeContext(context) }
        let reference = try SRTPContext(key: key, direction: .inbound)
        let ingress = IngressContext(key: key)
        for length in 0..<rtp.count {
            let cut = Array(rtp.prefix(length))
            for result in [
                outcome(cut) { p, n in try reference.unprotect(p, length: &n) },
                outcome(cut) { p, n in try ingress.unprotect(p, length: &n) },
            ] {
                guard case .failure(let failure) = result else {
                    Issue.record("\(length) bytes were accepted")
                    continue
                }
                #expect(failure == .malformed || failure == .authentication)
                if length < 12 + suite.tagLength { #expect(failure == .malformed) }
            }
        }
        for length in 0..<rtcp.count {
            let cut = Array(rtcp.prefix(length))
            for result in [
                outcome(cut) { p, n in try reference.unprotectRTCP(p, length: &n) },
                outcome(cut) { p, n in try ingress.unprotectRTCP(p, length: &n) },
                outcome(cut) { p, n in try fan.unprotectRTCP(context, p, length: &n) },
            ] {
                guard case .failure(let failure) = result else {
                    Issue.record("\(length) bytes of RTCP were accepted")
                    continue
                }
                if length < 8 + suite.rtcpOverhead { #expect(failure == .malformed) }
            }
        }
    }

    @Test("Random bytes are refused without a trap", arguments: SRTPSuite.allCases)
    func garbage(_ suite: SRTPSuite) throws {
        var random = SeededGenerator(seed: 24)
        let key = SRTPKey.random(for: suite)
        let fan = FanoutProtector()
        let context = fan.makeContext(key: .random(for: suite), peerKey: key)
        defer { fan.freeContext(context) }
        let reference = try SRTPContext(key: key, direction: .inbound)
        let ingress = IngressContext(key: key)
        let all: [Unprotect] = [
            { p, n in try reference.unprotect(p, length: &n) },
            { p, n in try reference.unprotectRTCP(p, length: &n) },
            { p, n in try ingress.unprotect(p, length: &n) },
            { p, n in try ingress.unprotectRTCP(p, length: &n) },
            { p, n in try fan.unprotectRTCP(context, p, length: &n) },
        ]
        for _ in 0..<2000 {
            var packet = random.bytes(random.below(random.below(3) == 0 ? 1500 : 60))
            if !packet.isEmpty, random.below(2) == 0 { packet[0] = packet[0] & 0x3f | 0x80 }
            for unprotect in all {
                if case .success = outcome(packet, unprotect) {
                    Issue.record("garbage of \(packet.count) bytes accepted")
                }
            }
        }
    }

    @Test("A header that points beyond the packet is malformed")
    func pointingBeyond() {
        let ingress = IngressContext(key: .random(for: .aesCM128HMACSHA1_80))
        var csrcs = [UInt8](repeating: 0, count: 40)
        csrcs[0] = 0x8f
        var extended = [UInt8](repeating: 0, count: 40)
        extended[0] = 0x90
        extended[15] = 200
        for packet in [csrcs, extended] {
            #expect(
                outcome(packet) { p, n in try ingress.unprotect(p, length: &n) }
                    == .failure(.malformed))
        }
    }

    @Test("Protecting requires room for the tag and a complete header", arguments: SRTPSuite.allCases)
    func noRoom(_ suite: SRTPSuite) throws {
        let context = try SRTPContext(key: .random(for: suite), direction: .outbound)
        var packet = [UInt8](repeating: 0, count: 200)
        packet[0] = 0x80
        var length = 100
        #expect(throws: SRTPFailure.capacity) {
            try context.protect(&packet, length: &length, capacity: 100 + suite.tagLength - 1)
        }
        #expect(throws: SRTPFailure.capacity) {
            try context.protectRTCP(&packet, length: &length, capacity: 100 + suite.rtcpOverhead - 1)
        }
        length = 11
        #expect(throws: SRTPFailure.malformed) { try context.protect(&packet, length: &length, capacity: 200) }
        length = 7
        #expect(throws: SRTPFailure.malformed) { try context.protectRTCP(&packet, length: &length, capacity: 200) }
    }
}

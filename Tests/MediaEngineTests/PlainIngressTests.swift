import Forwarding
import MediaBase
import MillraceTestKit
import RTP
import SRTP
import Testing

@testable import MediaEngine

@Suite("Receive path of plain transports")
struct PlainIngressTests {
    /// A publisher with one audio track, in a session of its own.
    private final class Publisher {
        let session: EngineSession
        let transport: PublishTransport
        let stream: EngineStream
        let producer: Producer
        let client: SRTPContext
        let protector = FanoutProtector(.evp)
        let track: Int

        init(_ name: String, ssrc: UInt32, _ plain: inout PlainIngress, _ inbound: inout InboundTable) throws {
            let key = SRTPKey.random(for: .aeadAES128GCM)
            session = EngineSession(name: name, loudest: 0)
            client = try SRTPContext(key: key, direction: .outbound)
            transport = PublishTransport(
                id: TransportID(rawValue: name), session: session, rtcpMux: true, context: IngressContext(key: key),
                egressContext: protector.makeContext(key: .random(for: .aeadAES128GCM), peerKey: key),
                localSSRC: SSRC(1), now: .zero)
            stream = EngineStream(
                name: name, source: transport.source, subsession: session.subsession(named: ""), createdAt: 0)
            producer = Producer(
                .init(kind: .audio, ssrc: SSRC(ssrc), payloadType: PayloadType(111)), now: .zero)
            track = inbound.add(
                InboundTrack(
                    session: .passUnretained(session), stream: .passUnretained(stream),
                    subsession: .passUnretained(stream.subsession), transport: .passUnretained(transport),
                    producer: .passUnretained(producer), ssrc: SSRC(ssrc), kind: .audio))
            plain.add(PlainSources.Source(ssrc: SSRC(ssrc), track: track))
        }

        deinit { protector.freeContext(transport.egressContext) }

        /// Returns a protected packet, followed by the space that the test's decryption needs.
        func packet(_ sequence: UInt8, ssrc: UInt32) throws -> (bytes: [UInt8], length: Int) {
            var bytes: [UInt8] = [0x80, 111, 0, sequence, 0, 0, 0, sequence]
            bytes += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: ssrc >> $0) } + [1, 2, 3]
            var length = bytes.count
            bytes += [UInt8](repeating: 0, count: 160)
            try bytes.withUnsafeMutableBytes {
                try client.protect($0.baseAddress!, length: &length, capacity: $0.count)
            }
            return (bytes, length)
        }
    }

    private func address(_ port: UInt16) -> SocketAddress {
        SocketAddress("10.0.0.1", port: port)!
    }

    /// - Returns: index of the track that the packet was attributed to; nil: it was dropped.
    private func receive(
        _ packet: (bytes: [UInt8], length: Int), from: SocketAddress, _ plain: inout PlainIngress,
        _ inbound: borrowing InboundTable, _ counters: inout EngineCounters
    ) -> Int? {
        var bytes = packet.bytes
        let base = UnsafeMutableRawPointer.allocate(byteCount: bytes.count, alignment: 8)
        defer { base.deallocate() }
        base.copyMemory(from: &bytes, byteCount: bytes.count)
        let received = plain.receive(
            base, length: packet.length, from: from, now: .seconds(1), inbound, &counters)
        guard let received else { return nil }
        #expect(Array(received.payload) == [1, 2, 3])
        return inbound.index(of: received.track)
    }

    @Test("Publishers of one SSRC are told apart by their keys, also from one address, and their addresses are learned")
    func sharedSSRC() throws {
        var inbound = InboundTable()
        var plain = PlainIngress()
        var counters = EngineCounters()
        let a = try Publisher("a", ssrc: 7, &plain, &inbound)
        let b = try Publisher("b", ssrc: 7, &plain, &inbound)
        var found: [Int?] = []
        for (i, publisher) in [a, b, b, a].enumerated() {
            found.append(
                receive(
                    try publisher.packet(UInt8(i), ssrc: 7), from: address(1_000), &plain, inbound, &counters))
        }
        #expect(found == [a.track, b.track, b.track, a.track])
        let moved = receive(try b.packet(9, ssrc: 7), from: address(2_000), &plain, inbound, &counters)
        #expect(moved == b.track && inbound[b.track].pointee.rtpAddress == address(2_000))
        #expect(inbound[a.track].pointee.rtpAddress == address(1_000))
        #expect(b.transport.lastAuthentic == .seconds(1) && counters.droppedAuthentication == 0)
    }

    @Test("A packet under a foreign key is dropped and counted, and does not change the publisher's address")
    func foreignKey() throws {
        var inbound = InboundTable()
        var plain = PlainIngress()
        var counters = EngineCounters()
        let a = try Publisher("a", ssrc: 7, &plain, &inbound)
        var others = PlainIngress()
        let b = try Publisher("b", ssrc: 8, &others, &inbound)
        let forged = receive(try b.packet(1, ssrc: 7), from: address(1), &plain, inbound, &counters)
        #expect(forged == nil && counters.droppedAuthentication == 1 && inbound[a.track].pointee.rtpAddress.length == 0)
        let unknown = receive(try a.packet(1, ssrc: 9), from: address(1), &plain, inbound, &counters)
        #expect(unknown == nil && counters.droppedUnknownSSRC == 1)
        plain.remove(track: a.track)
        let removed = receive(try a.packet(2, ssrc: 7), from: address(1), &plain, inbound, &counters)
        #expect(removed == nil && counters.droppedUnknownSSRC == 2)
    }

    @Test("An SSRC is unique within a session, and up to 16 sessions may use it") func admission() throws {
        var inbound = InboundTable()
        var plain = PlainIngress()
        var publishers: [Publisher] = []
        let other = EngineSession(name: "other", loudest: 0)
        var isAdmitted: [Bool] = []
        for i in 0..<PlainSources.maximumShared {
            isAdmitted.append(plain.admits(SSRC(7), to: other, inbound))
            publishers.append(try Publisher("\(i)", ssrc: 7, &plain, &inbound))
            isAdmitted.append(!plain.admits(SSRC(7), to: publishers[i].session, inbound))
        }
        isAdmitted.append(plain.admits(SSRC(8), to: other, inbound))
        #expect(!isAdmitted.contains(false))
        let isSeventeenth = plain.admits(SSRC(7), to: other, inbound)
        let uses = [7, 8].map { plain.uses(SSRC($0)) }
        #expect(!isSeventeenth && uses == [true, false])
    }
}

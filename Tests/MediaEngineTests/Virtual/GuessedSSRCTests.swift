import MediaBase
import MediaEngine
import MillraceTestKit
import RTP
import Testing

@testable import WebRTCClient

@Suite("SSRCs that no description names, in virtual time")
struct GuessedSSRCTests {
    private static let guess = SSRC(0x0bad_0bad)

    /// Sends one authentic frame of one packet under an SSRC that no description names, with the video's payload type and without MID.
    private func sendFrame(
        _ source: inout SyntheticSource, isKey: Bool, from client: VirtualClient, in call: VirtualCall
    ) throws {
        for packet in source.frame(isKey: isKey, packets: 1) {
            var packet = packet
            packet.header.ssrc = Self.guess
            packet.header.payloadType = client.endpoint.outgoing[1][0].payloadType
            var bytes = SyntheticSource.bytes(of: packet)
            var length = bytes.count
            bytes += [UInt8](repeating: 0, count: 64)
            let protector = try #require(client.endpoint.protector)
            try bytes.withUnsafeMutableBytes {
                try protector.protect($0.baseAddress!, length: &length, capacity: $0.count)
            }
            call.network.send(Array(bytes[..<length]), from: client.address, to: VirtualCall.relayAddress)
        }
    }

    /// Sends frames under that SSRC, ten a second.
    /// - Parameter startsWithKey: whether the first one is a key frame.
    private func sendFrames(
        _ count: Int, of source: inout SyntheticSource, startsWithKey: Bool = true, from client: VirtualClient,
        in call: VirtualCall
    ) throws {
        for number in 0..<count {
            try sendFrame(&source, isKey: startsWithKey && number == 0, from: client, in: call)
            call.run(seconds: 0.1)
        }
    }

    private func videoSSRC(_ call: VirtualCall) throws -> UInt32? {
        try call.relay.streams(session: "room").first?.video?.ssrc
    }

    /// Drops what a client sends under an SSRC.
    private func silence(_ ssrc: SSRC, of client: VirtualClient) {
        client.alter = { bytes in
            let isRTP = bytes.withUnsafeBytes { DatagramKind($0) == .rtp }
            guard isRTP, bytes.count >= 12 else { return bytes }
            return bytes[8..<12].reduce(0) { $0 << 8 | UInt32($1) } == ssrc.rawValue ? nil : bytes
        }
    }

    @Test("A matching payload type takes no track from a signalled SSRC that sends") func noTakeover() throws {
        let (call, publisher) = try VirtualCall.withPublisher(seed: 51)
        let subscriber = try call.view()
        call.run(seconds: 2)
        let signalled = publisher.endpoint.outgoing[1][0].ssrc
        var source = SyntheticSource(id: 9, kind: .video)
        try sendFrames(20, of: &source, from: publisher, in: call)
        #expect(try videoSSRC(call) == signalled.rawValue)
        #expect(call.relay.counters.droppedUnknownSSRC == 20)
        let reception = subscriber.reception
        #expect(reception.wrong == 0 && reception.missedFrames == 0, "\(reception)")
        #expect(reception.longestPause < .milliseconds(100) && subscriber.frames.isContiguous, "\(reception)")
    }

    @Test("After 2 s of silence the guessed SSRC takes the track; the signalled SSRC gets it back with its next packet")
    func isReverted() throws {
        let (call, publisher) = try VirtualCall.withPublisher(seed: 52)
        let subscriber = try call.view()
        call.run(seconds: 2)
        let signalled = publisher.endpoint.outgoing[1][0].ssrc
        silence(signalled, of: publisher)
        call.run(seconds: 3)
        var source = SyntheticSource(id: 9, kind: .video)
        try sendFrames(10, of: &source, from: publisher, in: call)
        #expect(try videoSSRC(call) == Self.guess.rawValue)

        publisher.alter = nil
        call.run(seconds: 0.1)
        #expect(try videoSSRC(call) == signalled.rawValue)
        call.run(seconds: 1)
        let before = subscriber.reception
        let dropped = call.relay.counters.droppedUnknownSSRC
        try sendFrames(10, of: &source, startsWithKey: false, from: publisher, in: call)
        #expect(try videoSSRC(call) == signalled.rawValue)
        #expect(call.relay.counters.droppedUnknownSSRC == dropped + 10)
        #expect(subscriber.reception.frames >= before.frames + 28 && subscriber.frames.isContiguous)

        // Retransmissions of the signalled SSRC are recognised again: its lost packets are recovered.
        let repaired = call.relay.counters.rtxReceived
        var number = 0
        publisher.alter = { bytes in
            guard bytes.withUnsafeBytes({ DatagramKind($0) == .rtp }),
                bytes[8..<12].reduce(0, { $0 << 8 | UInt32($1) }) == signalled.rawValue
            else { return bytes }
            number += 1
            return number % 10 == 0 ? nil : bytes
        }
        let whole = subscriber.reception
        call.run(seconds: 2)
        publisher.alter = nil
        call.run(seconds: 1)
        #expect(call.relay.counters.rtxReceived > repaired)
        #expect(subscriber.reception.missedFrames == whole.missedFrames, "\(subscriber.reception)")
    }

    @Test("A guessed SSRC that came first yields the track to the signalled SSRC") func guessComesFirst() throws {
        let call = try VirtualCall(seed: 53)
        let publisher = try call.publish()
        publisher.alter = { bytes in bytes.withUnsafeBytes { DatagramKind($0) == .rtp } ? nil : bytes }
        call.run(seconds: 1)
        var source = SyntheticSource(id: 9, kind: .video)
        try sendFrames(5, of: &source, from: publisher, in: call)
        #expect(try videoSSRC(call) == Self.guess.rawValue)
        publisher.alter = nil
        call.run(seconds: 0.2)
        #expect(try videoSSRC(call) == publisher.endpoint.outgoing[1][0].ssrc.rawValue)
        let subscriber = try call.view()
        call.run(seconds: 2)
        #expect(subscriber.reception.wrong == 0 && subscriber.reception.frames > 45, "\(subscriber.reception)")
    }
}

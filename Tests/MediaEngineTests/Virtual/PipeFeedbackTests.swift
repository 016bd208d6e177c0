import Forwarding
import MediaBase
import MillraceTestKit
import RTP
import Testing
import WebRTCTestKit

@testable import MediaEngine

@Suite("CLU-2 RTCP of the receiving end of a pipe") struct PipeFeedbackTests {
    private func read<T>(_ bytes: [UInt8], _ body: (RTCPPacket) throws -> T?) throws -> T? {
        try bytes.withUnsafeBytes { datagram in
            for packet in try RTCPCompound(parsing: datagram) { return try body(packet) }
            return nil
        }
    }

    @Test("Numbers of takers are read as they were written, also the most") func takers() throws {
        for count in [0, 1, PipeTakers.maximumEntries] {
            let takers = PipeTakers((0..<UInt32(count)).map { .init(ssrc: .max - $0, takers: $0 % 3 == 0 ? .max : $0) })
            var bytes: [UInt8] = []
            takers.write(from: SSRC(7), into: &bytes)
            #expect(bytes.count == 12 + 8 * count && bytes.count <= 1_200)
            #expect(try read(bytes) { PipeTakers(try APP(parsing: $0)) } == takers)
        }
        func app(_ subtype: UInt8, _ words: [UInt32], name: UInt32 = PipeFormat.name) -> APP {
            APP(sender: SSRC(1), subtype: subtype, name: name, words: words)
        }
        let others = [
            app(3, [1]), app(3, [1, 2, 3]), app(1, [1, 2]), app(3, [1, 2], name: 0),
            app(3, Array(repeating: 1, count: 258)),
        ]
        #expect(others.allSatisfy { PipeTakers($0) == nil })
        #expect(PipeTakers(app(3, [1, 2])) != nil)
    }

    @Test("Rates say that an encoding is withheld") func withheld() throws {
        let rates = AnnouncedRates(
            isActive: true, isHeldBack: true, isWithheld: true, width: 1, height: 2, bitrates: .one, frameRates: .one)
        var bytes: [UInt8] = []
        PipeRates([.init(ssrc: SSRC(3), rates: rates)]).write(from: SSRC(9), into: &bytes)
        #expect(try read(bytes) { PipeRates(try APP(parsing: $0)) }?.entries.first?.rates == rates)
    }

    @Test(
        "Feedback, bandwidth and numbers of takers that a relay invents end no audio, and video returns afterwards",
        arguments: UInt64(1401)...1406)
    func hostile(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let (pipe, _) = try VirtualPipe.withPublisher(
            seed: seed, rids: ["l", "m", "h"].map { RID($0)! }, video: SyntheticVideo.Encoding.simulcast)
        let subscriber = try pipe.mirror.view()
        try pipe.run(seconds: 3)
        for _ in 0..<400 {
            let bytes = packet(&random)
            pipe.origin.control { relay in
                for worker in relay.workers {
                    guard let transport = worker.sessions["room"]?.subscribers[pipe.sender.id] else { continue }
                    var copy = bytes
                    copy.withUnsafeMutableBytes { buffer in
                        guard let base = buffer.baseAddress else { return }
                        let received = ReceivedRTCP(
                            base, length: buffer.count, from: .subscriber(transport), &worker.counters)
                        if let received { worker.handle(received, now: worker.time()) }
                    }
                }
            }
            try pipe.run(seconds: 0.01)
        }
        #expect(subscriber.reception.audioPackets > 300 && subscriber.reception.wrong == 0)
        let before = subscriber.reception
        try pipe.run(seconds: 60)
        #expect(subscriber.reception.audioPackets > before.audioPackets + 2_900)
        #expect(subscriber.reception.frames > before.frames + 300, "\(subscriber.reception)")
        #expect(subscriber.reception.wrong == 0 && subscriber.reception.missedAudioPackets <= 5)
    }

    /// Returns feedback, REMB or numbers of takers with random contents.
    private func packet(_ random: inout SeededGenerator) -> [UInt8] {
        var bytes: [UInt8] = []
        func words(_ count: Int) -> [UInt32] { (0..<count).map { _ in UInt32.random(in: 0 ... .max, using: &random) } }
        switch Int.random(in: 0...3, using: &random) {
        case 0:
            PipeTakers(words(4).map { .init(ssrc: $0, takers: .max) }).write(from: SSRC(1), into: &bytes)
        case 1:
            REMB(
                sender: SSRC(1), bitrate: Bitrate(rawValue: Int64.random(in: 0...1_000_000_000_000, using: &random)),
                sources: words(2).map { SSRC($0) }
            ).write(into: &bytes)
        case 2:
            let first = Int64.random(in: 0...70_000, using: &random)
            var time = MediaTime.seconds(Double.random(in: 0...100_000, using: &random))
            let packets = (0..<Int64.random(in: 1...60, using: &random)).map {
                offset -> (sequence: Int64, arrival: MediaTime) in
                time = time + .microseconds(Int64.random(in: 0...20_000, using: &random))
                return (first + 2 * offset, time)
            }
            let made = TransportCC.make(
                sender: SSRC(1), media: SSRC(1), feedbackCount: UInt8.random(in: 0...255, using: &random),
                packets: packets, previous: first - 1)
            made?.0.write(into: &bytes)
        default:
            // Transport-wide feedback with a random body.
            let body = words(Int.random(in: 2...30, using: &random))
            bytes = [0x8f, 205, 0, UInt8(body.count)]
            for word in body {
                bytes += [
                    UInt8(truncatingIfNeeded: word >> 24), UInt8(truncatingIfNeeded: word >> 16),
                    UInt8(truncatingIfNeeded: word >> 8), UInt8(truncatingIfNeeded: word),
                ]
            }
        }
        return bytes
    }
}

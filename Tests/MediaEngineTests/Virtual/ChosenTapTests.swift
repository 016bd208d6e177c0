import MediaBase
import MediaEngine
import Testing
import WebRTCTestKit

@Suite("LIV-1 taps whose readers choose the encoding of simulcast") struct ChosenTapTests {
    private static let rids = ["l", "m", "h"].map { RID($0)! }

    private func call(seed: UInt64) throws -> VirtualCall {
        try VirtualCall.withPublisher(seed: seed, rids: Self.rids, video: SyntheticVideo.Encoding.simulcast).0
    }

    private func open(_ call: VirtualCall, chooses: Bool) throws -> PacketTap {
        try call.control { try $0.openTap(session: "room", stream: "stream", chooses: chooses) }
    }

    @Test(
        "Each choice begins with a key frame within 250 ms, without a gap; other taps and subscribers are not affected")
    func choices() throws {
        let call = try call(seed: 1)
        let subscriber = try call.view()
        let (chosen, other) = (try open(call, chooses: true), try open(call, chooses: false))
        var (reading, others) = (TapReading(), TapReading())
        call.run(seconds: 3)
        reading.read(chosen)
        others.read(other)
        #expect(reading.takeEncodings() == [2] && chosen.encodingRates.count == 3)
        for (rate, encoding) in zip(chosen.encodingRates, SyntheticVideo.Encoding.simulcast) {
            let factor = Double(rate.rawValue) / Double(encoding.bitrate.rawValue)
            #expect((0.9...1.5).contains(factor), "\(rate) for \(encoding.bitrate)")
        }
        for maximum in [0, 1, 0, 2, 1, Int.max, -1] {
            chosen.maximumEncoding = maximum
            call.run(seconds: 0.25)
            reading.read(chosen)
            _ = reading.takeEncodings()
            call.run(seconds: 1)
            reading.read(chosen)
            #expect(reading.takeEncodings() == [UInt8(min(max(maximum, 0), 2))], "\(maximum)")
        }
        others.read(other)
        #expect(others.takeEncodings() == [2] && other.encodingRates == [])
        #expect(reading.changes.count == 8 && reading.changes.allSatisfy(\.isKeyFrame), "\(reading.changes)")
        #expect(reading.faults == 0 && others.faults == 0 && reading.audioPackets == others.audioPackets)
        #expect(subscriber.reception.frames > 200 && subscriber.reception.wrong == 0)
    }

    @Test("A choice before the first packet, and a tap that opens later, begin with the chosen encoding")
    func early() throws {
        let call = try VirtualCall(seed: 2)
        try call.publish(rids: Self.rids, video: SyntheticVideo.Encoding.simulcast)
        call.run(seconds: 1)
        let first = try open(call, chooses: true)
        first.maximumEncoding = 0
        call.run(seconds: 1)
        var reading = TapReading()
        reading.read(first)
        #expect(reading.encodings.last == 0 && reading.faults == 0)
        let second = try open(call, chooses: true)
        call.run(seconds: 1)
        var later = TapReading()
        later.read(second)
        #expect(later.takeEncodings() == [2] && later.faults == 0)
        reading.read(first)
        #expect(reading.encodings.last == 0)
    }

    @Test("A stream without simulcast has one encoding, whatever the choice")
    func single() throws {
        let call = try VirtualCall.withPublisher(seed: 3).0
        let tap = try open(call, chooses: true)
        tap.maximumEncoding = 0
        call.run(seconds: 2)
        var reading = TapReading()
        reading.read(tap)
        #expect(reading.encodings.count > 50 && reading.faults == 0 && tap.encodingRates.count == 1)
    }

    @Test("A mute leaves no gap; the tap counts in its stream, and ends with it")
    func muteAndEnd() throws {
        let call = try call(seed: 4)
        let tap = try open(call, chooses: true)
        tap.maximumEncoding = 1
        call.run(seconds: 1)
        #expect(try call.control { try $0.streams(session: "room").first?.taps } == 1)
        try call.control { try $0.setMuted(session: "room", stream: "stream", kind: .video, muted: true) }
        call.run(seconds: 1)
        var reading = TapReading()
        reading.read(tap)
        let before = reading.encodings.count
        try call.control { try $0.setMuted(session: "room", stream: "stream", kind: .video, muted: false) }
        call.run(seconds: 1)
        reading.read(tap)
        #expect(reading.encodings.count > before + 20 && reading.encodings.last == 1 && reading.faults == 0)
        tap.close()
        call.run(seconds: 1)
        #expect(try call.control { try $0.streams(session: "room").first?.taps } == 0)
        let other = try open(call, chooses: true)
        call.control { $0.close() }
        #expect(other.isClosed)
    }
}

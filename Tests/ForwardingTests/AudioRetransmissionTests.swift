import MediaBase
import MillraceTestKit
import RTP
import SRTP
import Testing

@testable import Forwarding

@Suite("Retransmission of audio without RTX")
struct AudioRetransmissionTests {
    /// A track of audio with one subscriber whose headers have all extensions.
    private final class Call {
        let harness = RouterHarness()
        private var source = SyntheticSource(id: 1, kind: .audio)
        let producer: Producer
        let subscriber: Subscriber

        init(_ suite: SRTPSuite, lane: EgressLane = .webRTC, takesRequests: Bool = true) throws {
            producer = harness.producer(source)
            subscriber = try harness.subscriber(suite, lane: lane)
            harness.subscribe(
                subscriber, to: producer,
                extensions: .init(map: HeaderExtensionTests.map(), kind: .audio, mid: MID("0")),
                takesRequests: takesRequests)
        }

        /// Sends packets whose extensions differ, one per `interval`.
        func send(_ count: Int, every interval: MediaTime = .milliseconds(20)) throws {
            for number in 0..<count {
                let time = AbsoluteCaptureTime(NTPTime(rawValue: 7 + UInt64(number)), offset: nil)
                let values = HeaderExtensionTests.values(
                    level: number % 3 == 0 ? nil : UInt8(number), captureTime: number % 4 == 0 ? time : nil)
                try harness.feed(source.audioPacket(bytes: 60 + number), to: producer, extensions: values)
                try harness.flush()
                harness.now += interval
            }
        }

        func retransmit(_ numbers: [SequenceNumber]) throws -> Int {
            try harness.retransmit(numbers, to: subscriber, of: producer)
        }

        var numbers: [SequenceNumber] { subscriber.received.map(\.header.sequenceNumber) }
    }

    /// The test subscriber compares whole datagrams under an AEAD suite, and payloads under the others.
    @Test(
        "Lost audio is sent again with its transport-wide number under an AEAD suite, else with a new one",
        arguments: SRTPSuite.allCases)
    func unchanged(_ suite: SRTPSuite) throws {
        let call = try Call(suite)
        try call.send(12)
        #expect(try call.retransmit(call.numbers) == 12)
        #expect(call.subscriber.repeated.map(\.index) == call.subscriber.received.map(\.index))
        #expect(call.subscriber.sent.pointee.next == (suite.isAEAD ? 12 : 24))
        // A second request is answered too: the first answer may have been lost.
        #expect(try call.retransmit(call.numbers.suffix(3)) == 3)
        #expect(call.subscriber.repeated.count == 15)
    }

    @Test("Packets that were padded for segmentation are sent again with their padding")
    func padded() throws {
        let harness = RouterHarness()
        let subscriber = try harness.subscriber(.aeadAES128GCM, lane: .webRTC)
        var sources = (0..<3).map { SyntheticSource(id: UInt32($0), kind: .audio) }
        let producers = sources.map { harness.producer($0) }
        for (index, producer) in producers.enumerated() {
            harness.subscribe(
                subscriber, to: producer, ssrc: SSRC(10 + UInt32(index)),
                extensions: .init(map: HeaderExtensionTests.map(), kind: .audio))
        }
        for round in 0..<10 {
            for index in sources.indices {
                try harness.feed(sources[index].audioPacket(bytes: 100 + 4 * index + round), to: producers[index])
            }
            try harness.flush()
            harness.now += .milliseconds(20)
        }
        for (index, producer) in producers.enumerated() {
            let asked = try #require(subscriber.packets[10 + UInt32(index)]).map(\.header.sequenceNumber)
            #expect(try harness.retransmit(asked, to: subscriber, of: producer) == 10)
        }
        #expect(subscriber.repeated.count == 30)
    }

    @Test("Audio is sent again over WebRTC within 300 ms of its arrival, and to plain subscribers also later")
    func lifetime() throws {
        for (lane, age, sent) in [
            (.webRTC, 300, 1), (.webRTC, 301, 0), (.tcp, 301, 0), (.plain, 301, 1), (.plain, 2_000, 1),
        ] as [(EgressLane, Int64, Int)] {
            let call = try Call(.aesCM128HMACSHA1_80, lane: lane)
            try call.send(1, every: .milliseconds(age))
            #expect(try call.retransmit(call.numbers) == sent, "\(lane), \(age) ms")
        }
    }

    @Test("Under an AEAD suite the latest 32 packets of a track can be sent again", arguments: SRTPSuite.allCases)
    func latest(_ suite: SRTPSuite) throws {
        let call = try Call(suite)
        try call.send(SentHeaderLog.capacity + 1, every: .milliseconds(1))
        #expect(try call.retransmit([call.numbers[0]]) == (suite.isAEAD ? 0 : 1))
        #expect(try call.retransmit([call.numbers[1]]) == 1)
        #expect(try call.retransmit(call.numbers.suffix(1)) == 1)
    }

    @Test("Under an AEAD suite a subscriber without NACK gets no audio again, because its headers are not recorded")
    func withoutNACK() throws {
        let call = try Call(.aeadAES128GCM, takesRequests: false)
        try call.send(3)
        #expect(try call.retransmit(call.numbers) == 0)
    }

    @Test("Packets are not sent again under another header extension than before", arguments: SRTPSuite.allCases)
    func otherExtensions(_ suite: SRTPSuite) throws {
        let harness = RouterHarness()
        var source = SyntheticSource(id: 1, kind: .audio)
        let producer = harness.producer(source)
        let subscriber = try harness.subscriber(suite, lane: .webRTC)
        let fixed = HeaderExtensionTests.map(without: [.transportWideCC, .absSendTime])
        harness.subscribe(subscriber, to: producer, extensions: .init(map: fixed, kind: .audio, mid: MID("0")))
        try harness.feed((0..<3).map { _ in source.audioPacket() }, to: producer)
        try harness.flush()
        let before = subscriber.received.map(\.header.sequenceNumber)
        #expect(subscriber.sent.pointee.next == 0)
        #expect(try harness.retransmit(before, to: subscriber, of: producer) == 3)
        harness.router.setExtensions(
            .init(map: HeaderExtensionTests.map(), kind: .audio, mid: MID("0")), path: subscriber.path,
            producer: producer)
        try harness.feed((0..<3).map { _ in source.audioPacket() }, to: producer)
        try harness.flush()
        #expect(subscriber.sent.pointee.next == 3)
        let after = subscriber.received.suffix(3).map(\.header.sequenceNumber)
        #expect(try harness.retransmit(after, to: subscriber, of: producer) == 3)
        if suite.isAEAD { #expect(try harness.retransmit(before, to: subscriber, of: producer) == 0) }
    }

    @Test(
        "A record has the headers of the latest packets and of no others",
        arguments: [0, 31, 32_767, 65_535, 0xff_fff0, 1 << 40] as [Int64])
    func log(first: Int64) {
        let log = SentHeaderLog()
        defer { log.deallocate() }
        for sequence in max(0, first - 70)...(first + 70) { #expect(log.find(sequence) == nil) }
        for step in 0..<50 as Range<Int64> {
            log.note(
                first + step, number: UInt16(truncatingIfNeeded: 65_520 + step),
                sendTime: UInt32(0xff_ffd8 + step) & 0xff_ffff)
        }
        for step in 0..<50 as Range<Int64> {
            let found = log.find(first + step)
            #expect((found != nil) == (step >= 50 - Int64(SentHeaderLog.capacity)), "\(step)")
            guard let found else { continue }
            #expect(found.number == UInt16(truncatingIfNeeded: 65_520 + step))
            #expect(found.sendTime == UInt32(0xff_ffd8 + step) & 0xff_ffff)
        }
        // A late packet takes the index of a newer one.
        log.note(first + 48 - Int64(SentHeaderLog.capacity), number: 1, sendTime: 2)
        #expect(log.find(first + 48) == nil && log.find(first + 48 - Int64(SentHeaderLog.capacity))?.number == 1)
    }
}

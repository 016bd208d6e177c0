import MediaBase
import MediaEngine
import MillraceTestKit
import Testing
import WebRTCTestKit

@Suite("CLU-2 Encodings on demand between two relays, in virtual time") struct PipeDemandTests {
    static let rids = ["l", "m", "h"].map { RID($0)! }
    /// Rates with audio: the smallest encoding alone, with the middle one, with the largest one, and all three.
    static let small = Bitrate.kilobits(100)...Bitrate.kilobits(350)
    static let middle = Bitrate.kilobits(600)...Bitrate.kilobits(900)
    static let large = Bitrate.kilobits(1_600)...Bitrate.kilobits(2_100)
    static let all = Bitrate.kilobits(2_150)...Bitrate.kilobits(2_900)

    private typealias Change = (inout EngineConfiguration) -> Void

    /// Makes a pipe with a stream of three encodings, and paths to the subscribers that are known to be wide.
    private func simulcast(
        seed: UInt64, origin: @escaping Change = { _ in }, mirror: @escaping Change = { _ in }
    ) throws -> (VirtualPipe, VirtualClient) {
        func wide(_ change: @escaping Change) -> Change {
            { configuration in
                configuration.webRTC.startBitrate = .kilobits(8_000)
                change(&configuration)
            }
        }
        return try VirtualPipe.withPublisher(
            seed: seed, rids: Self.rids, video: SyntheticVideo.Encoding.simulcast, changes: (wide(origin), wide(mirror))
        )
    }

    private func choose(_ encoding: Int, for subscriber: VirtualClient, at call: VirtualCall) throws {
        try call.control {
            try $0.setLayer(subscriber.id, session: "room", .encoding(Self.rids[encoding], temporal: nil))
        }
    }

    /// Gives a subscriber another encoding.
    /// - Returns: the time until its first frame; nil if there is none within 4 s.
    private func switchTime(
        to encoding: Int, of subscriber: VirtualClient, at call: VirtualCall, _ pipe: VirtualPipe
    ) throws -> MediaTime? {
        let start = pipe.origin.now
        try choose(encoding, for: subscriber, at: call)
        while subscriber.reception.lastEncoding != UInt8(encoding) {
            guard pipe.origin.now - start < .seconds(4) else { return nil }
            try pipe.run(seconds: 0.01)
        }
        return pipe.origin.now - start
    }

    private func encodings(_ call: VirtualCall) throws -> [EncodingSnapshot] {
        try call.control { try $0.streams(session: "room") }.first?.encodings ?? []
    }

    @Test("Only the smallest encoding and those that are taken are sent; the others look alive, and can be chosen")
    func demanded() async throws {
        let (pipe, _) = try simulcast(seed: 1101)
        try pipe.run(seconds: 5)
        let idle = try pipe.rate(seconds: 2)
        #expect(Self.small.contains(idle), "\(idle)")
        let known = try encodings(pipe.mirror)
        #expect(known.map(\.isActive) == [true, true, true] && known.map(\.height) == [180, 360, 720], "\(known)")
        for (encoding, published) in zip(known, SyntheticVideo.Encoding.simulcast) {
            let factor = Double(encoding.bitrate.rawValue) / Double(published.bitrate.rawValue)
            #expect((0.8...1.5).contains(factor), "\(encoding.bitrate) for \(published.bitrate)")
        }
        let subscriber = try pipe.mirror.view()
        try pipe.run(seconds: 1)
        let start = try #require(subscriber.reception.firstFrame) - (try #require(subscriber.connectedAt))
        #expect(start <= .milliseconds(250), "\(start)")
        try pipe.run(seconds: 12)
        #expect(subscriber.reception.lastEncoding == 2, "the path has room for the largest: \(subscriber.reception)")
        let watched = try pipe.rate(seconds: 2)
        #expect(Self.large.contains(watched), "\(watched)")
        #expect(subscriber.frames.isContiguous && subscriber.reception.wrong == 0, "\(subscriber.frames)")
        #expect(subscriber.reception.longestPause < .milliseconds(300), "\(subscriber.reception)")
        subscriber.close()
        try pipe.run(seconds: 4)
        let left = try pipe.rate(seconds: 2)
        #expect(Self.small.contains(left), "\(left)")
        #expect(try encodings(pipe.mirror).allSatisfy(\.isActive))
        pipe.mirror.control { $0.close() }
        for await event in pipe.mirror.relay.events {
            switch event {
            case .trackPaused, .trackResumed, .unsupportedCodec, .closed: Issue.record("\(event)")
            default: break
            }
        }
    }

    @Test(
        "A switch to an encoding that was not sent takes at most 250 ms more than at the publisher's relay",
        arguments: 1111...1114)
    func switchUp(_ seed: UInt64) throws {
        let (pipe, _) = try simulcast(seed: seed)
        let (near, far) = (try pipe.origin.view(), try pipe.mirror.view())
        try pipe.run(seconds: 4)
        try choose(0, for: near, at: pipe.origin)
        try choose(0, for: far, at: pipe.mirror)
        try pipe.run(seconds: 5)
        let before = try pipe.rate(seconds: 1)
        #expect(Self.small.contains(before), "\(before)")
        for encoding in [2, 1] {
            far.forgetPauses()
            let reference = try #require(try switchTime(to: encoding, of: near, at: pipe.origin, pipe))
            try pipe.run(seconds: 1)
            let time = try #require(try switchTime(to: encoding, of: far, at: pipe.mirror, pipe))
            #expect(time - reference <= .milliseconds(250), "\(time), \(reference)")
            try pipe.run(seconds: 4)
            let rate = try pipe.rate(seconds: 2)
            #expect((encoding == 2 ? Self.large : Self.middle).contains(rate), "\(rate)")
            #expect(far.reception.longestPause < .milliseconds(250), "\(far.reception)")
        }
        #expect(far.frames.isContiguous && far.audio.isContiguous, "\(far.frames) \(far.audio)")
        #expect(far.reception.wrong == 0 && far.reception.outOfOrder <= far.reception.switches, "\(far.reception)")
    }

    @Test("Demands and requests that are lost are repeated", arguments: 1121...1125)
    func loss(_ seed: UInt64) throws {
        let (pipe, _) = try simulcast(seed: seed)
        var back = LinkConditions(delay: .milliseconds(10))
        back.loss = .uniform(0.3)
        for from in pipe.mirror.plainAddresses {
            for to in pipe.origin.plainAddresses { pipe.origin.network.set(back, from: from, to: to) }
        }
        let subscriber = try pipe.mirror.view()
        try pipe.run(seconds: 6)
        for encoding in [0, 2, 1, 0, 1, 2, 0] {
            #expect(try switchTime(to: encoding, of: subscriber, at: pipe.mirror, pipe) != nil, "\(encoding)")
            try pipe.run(seconds: 5)
            subscriber.forgetPauses()
            try pipe.run(seconds: 1)
            #expect(subscriber.reception.longestPause < .milliseconds(100), "\(encoding): \(subscriber.reception)")
        }
        try pipe.run(seconds: 3)
        let rate = try pipe.rate(seconds: 2)
        #expect(Self.small.contains(rate), "\(rate)")
        #expect(subscriber.frames.isContiguous && subscriber.reception.wrong == 0, "\(subscriber.frames)")
    }

    @Test("Losses of the rates and of media between the relays leave no gap") func forwardLoss() throws {
        let (pipe, _) = try simulcast(seed: 1126)
        var path = LinkConditions(delay: .milliseconds(10))
        path.loss = .uniform(0.05)
        pipe.set(path)
        let subscriber = try pipe.mirror.view()
        try pipe.run(seconds: 6)
        for encoding in [0, 2, 0, 1] {
            #expect(try switchTime(to: encoding, of: subscriber, at: pipe.mirror, pipe) != nil, "\(encoding)")
            try pipe.run(seconds: 5)
            #expect(try encodings(pipe.mirror).allSatisfy(\.isActive))
        }
        let reception = subscriber.reception
        #expect(reception.wrong == 0 && reception.outOfOrder <= reception.switches, "\(reception)")
        #expect(reception.longestPause < .milliseconds(800), "\(reception)")
    }

    @Test("An encoding of subscribers that change to and fro is sent all the time") func flapping() throws {
        let (pipe, publisher) = try simulcast(seed: 1131)
        let subscriber = try pipe.mirror.view()
        try pipe.run(seconds: 5)
        try choose(2, for: subscriber, at: pipe.mirror)
        try pipe.run(seconds: 5)
        let keyFrames = publisher.publisher.keyFrames
        var rates: [Bitrate] = []
        for round in 0..<20 {
            try choose(round % 2 == 0 ? 0 : 2, for: subscriber, at: pipe.mirror)
            rates.append(try pipe.rate(seconds: 0.6))
        }
        #expect(rates.allSatisfy { $0 > Self.large.lowerBound }, "\(rates)")
        #expect(publisher.publisher.keyFrames - keyFrames <= 24, "one for each switch")
        #expect(subscriber.frames.isContiguous && subscriber.reception.wrong == 0, "\(subscriber.frames)")
        try choose(0, for: subscriber, at: pipe.mirror)
        try pipe.run(seconds: 5)
        let rate = try pipe.rate(seconds: 2)
        #expect(Self.small.contains(rate), "\(rate)")
    }

    @Test("With a relay of an earlier version at either end, all encodings are sent", arguments: [true, false])
    func versions(_ isOldOrigin: Bool) throws {
        let (pipe, _) = try simulcast(
            seed: 1141, origin: { $0.encodingsOnDemand = !isOldOrigin }, mirror: { $0.encodingsOnDemand = isOldOrigin })
        let subscriber = try pipe.mirror.view()
        try pipe.run(seconds: 6)
        for encoding in [0, 2, 1] {
            let time = try #require(try switchTime(to: encoding, of: subscriber, at: pipe.mirror, pipe))
            #expect(time < .milliseconds(700), "\(time)")
            let rate = try pipe.rate(seconds: 4)
            #expect(Self.all.contains(rate), "\(rate)")
        }
        #expect(subscriber.frames.isContiguous && subscriber.reception.wrong == 0, "\(subscriber.frames)")
    }

    @Test("A recording at the mirroring relay gets the largest encoding, and a reader that chooses gets its own")
    func taps() throws {
        let (pipe, _) = try simulcast(seed: 1151)
        try pipe.run(seconds: 6)
        let tap = try pipe.mirror.control { try $0.openTap(session: "room", stream: "stream", chooses: false) }
        var reading = TapReading()
        try pipe.run(seconds: 1)
        reading.read(tap)
        #expect(reading.encodings.count > 20 && reading.takeEncodings() == [2] && reading.faults == 0)
        for _ in 0..<4 {
            try pipe.run(seconds: 1)
            reading.read(tap)
        }
        let recorded = try pipe.rate(seconds: 2)
        reading.read(tap)
        #expect(Self.large.contains(recorded), "\(recorded)")
        #expect(reading.encodings.count > 160 && reading.takeEncodings() == [2] && reading.faults == 0)
        tap.close()
        try pipe.run(seconds: 4)
        let left = try pipe.rate(seconds: 2)
        #expect(Self.small.contains(left), "\(left)")

        let chosen = try pipe.mirror.control { try $0.openTap(session: "room", stream: "stream", chooses: true) }
        chosen.maximumEncoding = 1
        reading = TapReading()
        try pipe.run(seconds: 2)
        reading.read(chosen)
        _ = reading.takeEncodings()
        try pipe.run(seconds: 3)
        let rate = try pipe.rate(seconds: 2)
        reading.read(chosen)
        #expect(Self.middle.contains(rate), "\(rate)")
        #expect(reading.encodings.count > 130 && reading.takeEncodings() == [1] && reading.faults == 0)
        for (rate, encoding) in zip(chosen.encodingRates, SyntheticVideo.Encoding.simulcast) {
            let factor = Double(rate.rawValue) / Double(encoding.bitrate.rawValue)
            #expect((0.8...1.5).contains(factor), "\(rate) for \(encoding.bitrate)")
        }
    }

    @Test("An encoding that its publisher stops looks stopped, whether it is sent or not", arguments: [true, false])
    func stopped(_ isTaken: Bool) throws {
        let (pipe, publisher) = try simulcast(seed: isTaken ? 1161 : 1162)
        let subscriber = isTaken ? try pipe.mirror.view() : nil
        try pipe.run(seconds: 1)
        if let subscriber { try choose(2, for: subscriber, at: pipe.mirror) }
        var bytes: [[UInt8]: Int] = [:]
        var stopped: [UInt8]?
        publisher.alter = { datagram in
            guard datagram.count > 12, (128...191).contains(datagram[0]), !(192...223).contains(datagram[1]) else {
                return datagram
            }
            let ssrc = Array(datagram[8..<12])
            bytes[ssrc, default: 0] += datagram.count
            return ssrc == stopped ? nil : datagram
        }
        try pipe.run(seconds: 6)
        #expect(try encodings(pipe.mirror).map(\.isActive) == [true, true, true])
        stopped = bytes.max { $0.value < $1.value }?.key
        try pipe.run(seconds: 6)
        #expect(try encodings(pipe.mirror).map(\.isActive) == [true, true, false])
        let later = try pipe.mirror.view()
        try pipe.run(seconds: 4)
        #expect(later.reception.frames > 90 && later.reception.wrong == 0, "\(later.reception)")
        stopped = nil
        try pipe.run(seconds: 3)
        #expect(try encodings(pipe.mirror).map(\.isActive) == [true, true, true])
    }

    @Test("After a mute the subscribers get their encoding again, and the others can be chosen") func mute() throws {
        let (pipe, _) = try simulcast(seed: 1171)
        let subscriber = try pipe.mirror.view()
        try pipe.run(seconds: 1)
        try choose(2, for: subscriber, at: pipe.mirror)
        try pipe.run(seconds: 6)
        try pipe.origin.control { try $0.setMuted(session: "room", stream: "stream", kind: .video, muted: true) }
        try pipe.run(seconds: 5)
        #expect(try encodings(pipe.mirror).map(\.isActive) == [false, false, false])
        let before = subscriber.reception
        try pipe.origin.control { try $0.setMuted(session: "room", stream: "stream", kind: .video, muted: false) }
        try pipe.run(seconds: 1.5)
        #expect(subscriber.reception.frames > before.frames + 25 && subscriber.reception.lastEncoding == 2)
        #expect(try encodings(pipe.mirror).map(\.isActive) == [true, true, true])
        let time = try switchTime(to: 1, of: subscriber, at: pipe.mirror, pipe)
        #expect(try #require(time) < .milliseconds(700))
        #expect(subscriber.frames.isContiguous && subscriber.reception.wrong == 0, "\(subscriber.frames)")
    }

    @Test("Subscribers on all workers of the mirroring relay get the encodings that they choose", arguments: [0, 60])
    func workers(_ linkDelay: Int64) throws {
        let (pipe, _) = try simulcast(
            seed: 1181,
            mirror: {
                $0.workers = 3
                $0.spreadLoad = 0
            })
        pipe.mirror.relay.linkDelay = .milliseconds(linkDelay)
        let subscribers = try (0..<6).map { _ in try pipe.mirror.view() }
        try pipe.run(seconds: 4)
        #expect(Set(subscribers.map { String($0.id.rawValue.prefix(2)) }).count == 3)
        for subscriber in subscribers { try choose(0, for: subscriber, at: pipe.mirror) }
        try pipe.run(seconds: 6)
        let small = try pipe.rate(seconds: 2)
        #expect(Self.small.contains(small), "\(small)")
        for subscriber in subscribers {
            #expect(try switchTime(to: 1, of: subscriber, at: pipe.mirror, pipe) != nil)
            try pipe.run(seconds: 5)
            let rate = try pipe.rate(seconds: 2)
            #expect(Self.middle.contains(rate), "\(rate)")
            try choose(0, for: subscriber, at: pipe.mirror)
            try pipe.run(seconds: 5)
        }
        for subscriber in subscribers { try choose(2, for: subscriber, at: pipe.mirror) }
        try pipe.run(seconds: 5)
        let large = try pipe.rate(seconds: 2)
        #expect(Self.large.contains(large), "\(large)")
        for subscriber in subscribers {
            #expect(subscriber.reception.lastEncoding == 2 && subscriber.reception.wrong == 0)
            #expect(subscriber.frames.isContiguous, "\(subscriber.frames)")
        }
    }

    @Test("A stream with one encoding is always sent") func single() throws {
        let (pipe, _) = try VirtualPipe.withPublisher(seed: 1191)
        try pipe.run(seconds: 6)
        let rate = try pipe.rate(seconds: 2)
        #expect(rate > .kilobits(400), "\(rate)")
    }
}

import MediaBase
import MediaEngine
import MillraceTestKit
import RTP
import SDP
import Testing
import WebRTCTestKit

@Suite("CLU-2 Media that goes through two relays, in virtual time") struct PipeTests {
    private static let rids = ["l", "m", "h"].map { RID($0)! }

    @Test("Subscribers of the other relay get every frame and every audio packet, and a late one starts at once")
    func everyPacket() throws {
        let (pipe, publisher) = try VirtualPipe.withPublisher(seed: 901)
        let first = try pipe.mirror.view()
        try pipe.run(seconds: 4)
        let late = try pipe.mirror.view()
        let near = try pipe.origin.view()
        try pipe.run(seconds: 4)
        for subscriber in [first, late, near] {
            #expect(
                subscriber.audio.isContiguous && subscriber.frames.isContiguous,
                "\(subscriber.audio) \(subscriber.frames)")
            #expect(subscriber.reception.missedFrames == 0 && subscriber.reception.missedAudioPackets == 0)
            #expect(subscriber.reception.wrong == 0)
        }
        #expect(first.reception.frames > 200 && first.reception.audioPackets > 350, "\(first.reception)")
        let start = try #require(late.reception.firstFrame) - (try #require(late.connectedAt))
        #expect(start <= .milliseconds(100), "\(start)")
        let before = [first, near].map(\.reception)
        try pipe.run(seconds: 2)
        let delays = zip([first, near].map(\.reception), before).map { after, before in
            (after.delaySum - before.delaySum).milliseconds / Double(after.frames - before.frames)
        }
        // The path between the relays takes 10 ms.
        #expect((10..<11).contains(delays[0] - delays[1]), "\(delays) ms")
        #expect(publisher.publisher.keyFrames < 6, "\(publisher.publisher.keyFrames)")
    }

    @Test(
        "No packet that is lost between the relays is missing at the subscriber", arguments: [0.01, 0.05],
        UInt64(911)...915)
    func loss(_ share: Double, _ seed: UInt64) throws {
        var path = LinkConditions(delay: .milliseconds(10))
        path.loss = .uniform(share)
        let (pipe, _) = try VirtualPipe.withPublisher(seed: seed, path: path)
        let subscriber = try pipe.mirror.view()
        try pipe.run(seconds: 20)
        pipe.set(LinkConditions(delay: .milliseconds(10)))
        try pipe.run(seconds: 1)
        let lost = pipe.origin.network.statistics(
            from: pipe.origin.plainAddresses[0], to: pipe.mirror.plainAddresses[0]
        ).lost
        if VirtualCall.workers == 1 { #expect(lost > 10) }
        #expect(subscriber.reception.frames > 550 && subscriber.reception.missedFrames == 0, "\(subscriber.reception)")
        #expect(subscriber.reception.audioPackets > 900 && subscriber.reception.missedAudioPackets == 0)
        #expect(pipe.mirror.relay.counters.rtxReceived > 0)
    }

    @Test("A subscriber chooses among all encodings of simulcast as at the relay of the publisher")
    func simulcast() throws {
        let (pipe, _) = try VirtualPipe.withPublisher(
            seed: 921, rids: Self.rids, video: SyntheticVideo.Encoding.simulcast)
        let subscriber = try pipe.mirror.view()
        try pipe.run(seconds: 6)
        for (encoding, rid) in [(0, "l"), (2, "h"), (1, "m")] {
            try pipe.mirror.control {
                try $0.setLayer(subscriber.id, session: "room", .encoding(RID(rid)!, temporal: nil))
            }
            try pipe.run(seconds: 0.5)
            let before = subscriber.reception
            try pipe.run(seconds: 1)
            let after = subscriber.reception
            let of = after.framesByEncoding[UInt8(encoding), default: 0]
            let had = before.framesByEncoding[UInt8(encoding), default: 0]
            #expect(of - had == after.frames - before.frames && of - had > 25, "\(rid): \(before) \(after)")
        }
        #expect(subscriber.frames.isContiguous && subscriber.reception.wrong == 0, "\(subscriber.frames)")
    }

    @Test("Spatial layers of one encoding pass with their dependency descriptors") func spatialLayers() throws {
        let room = try VirtualSession(seed: 926)
        let ada = room.join("Ada")
        try room.publish("camera", by: ada, codecs: [.vp9])
        try room.run(seconds: 1)
        let pipe = try VirtualPipe(from: room.call, to: try VirtualCall(seed: 927, host: 2, besides: room.call))
        try pipe.update()
        let other = try VirtualSession(seed: 928, in: pipe.mirror)
        other.expect("camera", source: room.sources["camera"])
        let bob = other.join("Bob", videoCodecs: [.vp8, .vp9])
        try other.subscribe(bob, to: "camera")
        /// Runs until the newest frame has this highest layer.
        func run(seconds: Double, untilLayer layer: UInt8) throws -> Bool {
            for _ in 0..<Int(seconds * 10) where bob.received["camera"]?.encoding != layer {
                try room.run(seconds: 0.05)
                try other.run(seconds: 0.05)
            }
            return bob.received["camera"]?.encoding == layer
        }
        #expect(try run(seconds: 20, untilLayer: 2), "all layers on a wide path")
        #expect(try #require(bob.received["camera"]).descriptors > 0)
        var path = LinkConditions(delay: .milliseconds(20))
        path.rate = .kilobits(450)
        path.queue = 60_000
        bob.setDownlink(path)
        #expect(try run(seconds: 5, untilLayer: 0), "the lowest layer on a narrow path")
        #expect(bob.strays.isEmpty, "\(bob.strays.prefix(3))")
    }

    @Test("A stream that is muted, ended and published again at its relay is so at the other one")
    func changes() throws {
        let (pipe, publisher) = try VirtualPipe.withPublisher(seed: 931)
        let subscriber = try pipe.mirror.view()
        try pipe.run(seconds: 2)
        try pipe.origin.control {
            try $0.setMuted(session: "room", stream: "stream", kind: .video, muted: true)
        }
        try pipe.run(seconds: 0.1)
        let muted = subscriber.reception
        try pipe.run(seconds: 1)
        #expect(
            subscriber.reception.frames == muted.frames && subscriber.reception.audioPackets > muted.audioPackets + 45)
        let snapshot = try pipe.mirror.control { try $0.streams(session: "room") }
        #expect(snapshot.map(\.name) == ["stream"] && snapshot.first?.video?.muted == true)
        #expect(throws: EngineError.invalidRequest(field: "stream", reason: "is published at another relay")) {
            try pipe.mirror.control {
                try $0.setMuted(session: "room", stream: "stream", kind: .video, muted: false)
            }
        }
        // With several workers, these are on different ones.
        let later = try (0..<3).map { _ in try pipe.mirror.view() }
        try pipe.run(seconds: 1)
        #expect(later.allSatisfy { $0.reception.frames == 0 && $0.reception.audioPackets > 20 })
        try pipe.origin.control {
            try $0.setMuted(session: "room", stream: "stream", kind: .video, muted: false)
        }
        try pipe.run(seconds: 1)
        #expect(subscriber.reception.frames > muted.frames + 25 && subscriber.reception.wrong == 0)
        #expect(later.allSatisfy { $0.reception.frames > 20 && $0.reception.wrong == 0 })
        publisher.close()
        try pipe.run(seconds: 1)
        #expect(try pipe.mirror.control { try $0.streams(session: "room") }.isEmpty)
        try pipe.origin.publish(source: 2)
        subscriber.expect(2)
        try pipe.run(seconds: 3)
        #expect(subscriber.reception.frames > 60 && subscriber.reception.wrong == 0, "\(subscriber.reception)")
        try pipe.mirror.control { try $0.closePipe(pipe.receiver.id, session: "room") }
        try pipe.origin.control { try $0.closePipe(pipe.sender.id, session: "room") }
        #expect(try pipe.mirror.control { try $0.streams(session: "room") }.isEmpty)
        #expect(throws: EngineError.unknownTransport(pipe.sender.id.rawValue)) {
            try pipe.origin.control { try $0.closePipe(pipe.sender.id, session: "room") }
        }
    }

    @Test("The loudest talkers of both relays are heard at each of them") func loudest() throws {
        let origin = try VirtualCall(seed: 941) { $0.webRTC.loudestAudio = 2 }
        let mirror = try VirtualCall(seed: 942, host: 2, besides: origin) { $0.webRTC.loudestAudio = 2 }
        for (index, call) in [origin, mirror].enumerated() {
            for number in 0..<2 {
                let source = UInt32(2 * index + number)
                let client = try call.publish(stream: "talker\(source)", source: source, video: nil)
                // From the loudest to the softest: 0 (origin), 2 (mirror), 1, 3.
                client.publisher.level = AudioLevel(level: [20, 30, 25, 35][Int(source)], isVoice: true)
            }
        }
        origin.network.run(until: .seconds(1))
        let pipes = [try VirtualPipe(from: origin, to: mirror), try VirtualPipe(from: mirror, to: origin)]
        for pipe in pipes { try pipe.update() }
        for call in [origin, mirror] {
            let subscribers = try (0..<4).map { try call.view(stream: "talker\($0)", source: UInt32($0), video: false) }
            origin.network.run(until: origin.now + .seconds(3))
            let before = subscribers.map(\.reception.audioPackets)
            origin.network.run(until: origin.now + .seconds(2))
            let heard = zip(subscribers, before).map { $0.reception.audioPackets - $1 }
            #expect(heard[0] > 95 && heard[2] > 95 && heard[1] == 0 && heard[3] == 0, "\(heard)")
        }
        // A mirrored stream is not sent back.
        #expect(pipes.allSatisfy { $0.tracks.count == 2 })
    }

    @Test("Participants of other subsessions do not receive a mirrored stream") func subsessions() throws {
        let (pipe, publisher) = try VirtualPipe.withPublisher(seed: 951)
        let subscriber = try pipe.mirror.view()
        try pipe.run(seconds: 1)
        try pipe.origin.control {
            try $0.move([PeerMove(peer: publisher.id, subsession: "b1")], session: "room")
        }
        try pipe.run(seconds: 0.2)
        let apart = subscriber.reception
        try pipe.run(seconds: 1)
        #expect(subscriber.reception.frames == apart.frames && subscriber.reception.audioPackets == apart.audioPackets)
        try pipe.mirror.control { try $0.move([PeerMove(peer: subscriber.id, subsession: "b1")], session: "room") }
        try pipe.run(seconds: 1)
        #expect(
            subscriber.reception.frames > apart.frames + 25
                && subscriber.reception.audioPackets > apart.audioPackets + 45)
    }

    @Test("Many pipes between the same addresses keep apart, and all of them request lost packets") func many() throws {
        let origin = try VirtualCall(seed: 961)
        let mirror = try VirtualCall(seed: 962, host: 2, besides: origin)
        let sessions = (0..<20).map { "session\($0)" }
        for (index, session) in sessions.enumerated() { try origin.publish(session, source: UInt32(index + 1)) }
        origin.network.run(until: .seconds(1))
        let pipes = try sessions.map { try VirtualPipe(from: origin, to: mirror, session: $0) }
        for pipe in pipes { try pipe.update() }
        var path = LinkConditions(delay: .milliseconds(10))
        path.loss = .uniform(0.02)
        pipes[0].set(path)
        let subscribers = try sessions.enumerated().map { try mirror.view($1, source: UInt32($0 + 1)) }
        origin.network.run(until: .seconds(8))
        pipes[0].set(LinkConditions(delay: .milliseconds(10)))
        origin.network.run(until: .seconds(9))
        for subscriber in subscribers {
            #expect(
                subscriber.reception.frames > 180 && subscriber.reception.missedFrames == 0, "\(subscriber.reception)")
            #expect(subscriber.reception.missedAudioPackets == 0 && subscriber.reception.wrong == 0)
        }
    }

    @Test("A description with names in use, wrong payload types and too many streams is applied as far as possible")
    func hostile() throws {
        let call = try VirtualCall(seed: 971) { $0.limits.streamsPerSession = 10 }
        try call.publish(stream: "taken")
        call.run(seconds: 1)
        let end = try call.control { try $0.openPipeReceiver(session: "room", .random()) }
        func stream(_ name: String, payloadType: UInt8 = 96, codec: VideoCodec? = .vp8, first: UInt64)
            -> PipeDescription.Stream
        {
            let tracks = (0..<2).map {
                PipeDescription.Track(
                    number: first + UInt64($0), kind: $0 == 0 ? .audio : .video, rid: "not a RID",
                    payloadType: payloadType, replayLimit: .never)
            }
            return PipeDescription.Stream(
                name: name, subsession: "", createdAt: 0, isEncrypted: false, codec: codec, muted: [], tracks: tracks)
        }
        let sender = PipeEnd(id: TransportID(rawValue: "x"), address: "10.0.0.9", port: 7982, ssrc: 0)
        var streams = [stream("taken", first: 1), stream("wrong", payloadType: 200, first: 3)]
        streams += [stream("audio alone", codec: nil, first: 5), stream("good", first: 7), stream("good", first: 7)]
        streams += (0..<20).map { stream("\($0)", first: UInt64(100 + 2 * $0)) }
        let tracks = try call.control {
            try $0.mirror(PipeDescription(streams: streams), end.id, session: "room", from: sender)
        }
        // Ten streams: the publisher's, the three above, and six of the twenty.
        #expect(tracks.count == 1 + 2 + 6 * 2 && Set(tracks.map(\.ssrc)).count == tracks.count)
        #expect(try call.control { try $0.streams(session: "room") }.count == 10)
        #expect(call.relay.counters.refusedLimit > 0)
        #expect(throws: EngineError.self) {
            try call.control {
                try $0.mirror(
                    PipeDescription(streams: []), end.id, session: "room",
                    from: PipeEnd(id: sender.id, address: "host.example", port: 1, ssrc: 0))
            }
        }
        try call.control { try $0.closePipe(end.id, session: "room") }
        #expect(try call.control { try $0.streams(session: "room") }.map(\.name) == ["taken"])
    }

    @Test("A stream that was published again between two descriptions is another stream") func again() throws {
        let call = try VirtualCall(seed: 972)
        let end = try call.control { try $0.openPipeReceiver(session: "room", .random()) }
        let sender = PipeEnd(id: TransportID(rawValue: "x"), address: "10.0.0.9", port: 7982, ssrc: 0)
        func mirror(createdAt: Int64, codec: VideoCodec, track: UInt64?) throws -> [PipeTrack] {
            let tracks = track.map {
                PipeDescription.Track(number: $0, kind: .video, rid: nil, payloadType: 96, replayLimit: .never)
            }
            let stream = PipeDescription.Stream(
                name: "camera", subsession: "", createdAt: createdAt, isEncrypted: createdAt > 1, codec: codec,
                muted: [], tracks: tracks.map { [$0] } ?? [])
            return try call.control {
                try $0.mirror(PipeDescription(streams: [stream]), end.id, session: "room", from: sender)
            }
        }
        let first = try mirror(createdAt: 1, codec: .vp8, track: 1)
        #expect(try mirror(createdAt: 1, codec: .vp8, track: 1) == first)
        // The codec is known before the first packet, so before there is a track.
        #expect(try mirror(createdAt: 2, codec: .av1, track: nil).isEmpty)
        let snapshot = try call.control { try $0.streams(session: "room") }
        #expect(snapshot.map(\.createdAt) == [2] && snapshot.first?.codec == .av1 && snapshot.first?.video == nil)
        let second = try mirror(createdAt: 2, codec: .av1, track: 2)
        #expect(Set([first, second].joined().flatMap { [$0.ssrc, $0.rtx] }).count == 4)
    }

    @Test("A pipe sends nothing under an SSRC that it has used before") func keystream() throws {
        let (pipe, _) = try VirtualPipe.withPublisher(seed: 973)
        try pipe.run(seconds: 1)
        func sent() -> Int {
            pipe.origin.network.statistics(
                from: pipe.origin.plainAddresses[0], to: pipe.mirror.plainAddresses[0]
            ).sent
        }
        try pipe.origin.control { try $0.sendThroughPipe([], pipe.sender.id, session: "room") }
        pipe.origin.run(seconds: 0.5)
        let refused = pipe.origin.relay.counters.refusedLimit
        let before = sent()
        try pipe.origin.control { try $0.sendThroughPipe(pipe.tracks, pipe.sender.id, session: "room") }
        pipe.origin.run(seconds: 1)
        #expect(sent() == before && pipe.origin.relay.counters.refusedLimit == refused + 2)
        let other = PipeEnd(id: TransportID(rawValue: "other"), address: "10.0.0.1", port: 7982, ssrc: 0)
        #expect(throws: EngineError.self, "a second sending end would begin with the same SSRCs") {
            try pipe.mirror.control {
                try $0.mirror(pipe.description, pipe.receiver.id, session: "room", from: other)
            }
        }
    }

    @Test("Changes of the streams are reported once until they are described again") func events() async throws {
        let (pipe, _) = try VirtualPipe.withPublisher(seed: 981)
        try pipe.origin.publish(stream: "second", source: 2)
        pipe.origin.run(seconds: 1)
        _ = try pipe.origin.control { try $0.pipeDescription(session: "room") }
        try pipe.origin.control {
            try $0.setMuted(session: "room", stream: "stream", kind: .audio, muted: true)
        }
        pipe.origin.control { $0.close() }
        var count = 0
        for await event in pipe.origin.relay.events {
            if case .pipedStreamsChanged(session: "room") = event { count += 1 }
        }
        #expect(count == 2)
    }

    @Test("A stream is reported once when the other relay has it, so that waiting subscribers and recordings begin")
    func mirrored() async throws {
        let (pipe, _) = try VirtualPipe.withPublisher(seed: 982)
        try pipe.run(seconds: 1)
        try pipe.origin.publish(stream: "second", source: 2)
        try pipe.run(seconds: 1)
        pipe.mirror.control { $0.close() }
        var streams: [String] = []
        for await event in pipe.mirror.relay.events {
            if case .mirrored(session: "room", let stream) = event { streams.append(stream) }
        }
        #expect(streams == ["stream", "second"])
    }
}

import MediaBase
import MediaEngine
import MillraceTestKit
import Testing

@Suite("CLU-2 SUB-3 Streams of another relay that move between subsessions, in virtual time")
struct PipeWithholdingTests {
    /// Packets that the mirroring relay has sent to subscribers.
    private func sent(_ pipe: VirtualPipe) -> UInt64 {
        let counters = pipe.mirror.relay.counters
        return counters.packetsForwarded + counters.packetsRetransmitted
    }

    private func withhold(_ streams: [String], _ pipe: VirtualPipe) throws {
        try pipe.mirror.control { try $0.withholdMirrors(streams, pipe.receiver.id, session: "room") }
    }

    private func move(_ clients: [VirtualClient], to subsession: String, at call: VirtualCall) throws {
        try call.control { try $0.move(clients.map { PeerMove(peer: $0.id, subsession: subsession) }, session: "room") }
    }

    @Test(
        "From the answer on, nothing of a withheld stream is sent. After its description it continues for those in its new subsession",
        arguments: [0, 60])
    func move(_ linkDelay: Int64) throws {
        let (pipe, publisher) = try VirtualPipe.withPublisher(seed: 1001)
        pipe.mirror.relay.linkDelay = .milliseconds(linkDelay)
        // With several workers, each of the groups is on all of them.
        let staying = try (0..<3).map { _ in try pipe.mirror.view() }
        let moving = try (0..<3).map { _ in try pipe.mirror.view() }
        try pipe.run(seconds: 3)
        let streaming = sent(pipe)
        pipe.origin.run(seconds: 0.5)
        #expect(sent(pipe) > streaming + 200)
        try withhold(["unknown", "stream", "stream"], pipe)
        let answered = sent(pipe)
        pipe.origin.run(seconds: 0.3)
        #expect(sent(pipe) == answered)
        try move([publisher], to: "b1", at: pipe.origin)
        try move(moving, to: "b1", at: pipe.mirror)
        pipe.origin.run(seconds: 0.3)
        #expect(sent(pipe) == answered)
        // New subscribers get packets that probe their paths.
        let late = try (0..<3).map { _ in try pipe.mirror.view() }
        pipe.origin.run(seconds: 0.5)
        #expect(late.allSatisfy { $0.connectedAt != nil && $0.reception.frames + $0.reception.audioPackets == 0 })
        let before = (staying + moving + late).map(\.reception)
        let keyFrames = publisher.publisher.keyFrames
        try pipe.update()
        pipe.origin.run(seconds: 0.3)
        #expect(publisher.publisher.keyFrames > keyFrames)
        #expect(
            zip(moving, before[3...]).allSatisfy { $0.reception.frames > $1.frames + 3 }, "a key frame is requested")
        pipe.origin.run(seconds: 1)
        for (subscriber, before) in zip(moving, before[3...]) {
            #expect(subscriber.reception.frames > before.frames + 25, "\(subscriber.reception)")
            #expect(subscriber.reception.audioPackets > before.audioPackets + 55, "\(subscriber.reception)")
        }
        for (subscriber, before) in zip(staying + late, before[..<3] + before[6...]) {
            #expect(
                subscriber.reception.frames == before.frames && subscriber.reception.audioPackets == before.audioPackets
            )
        }
        for subscriber in staying + moving {
            #expect(
                subscriber.audio.isContiguous && subscriber.frames.isContiguous,
                "\(subscriber.audio) \(subscriber.frames)")
            #expect(subscriber.reception.wrong == 0)
        }
        try move([publisher], to: "", at: pipe.origin)
        try pipe.update()
        pipe.origin.run(seconds: 1)
        #expect((staying + late).allSatisfy { $0.reception.frames > 20 && $0.reception.wrong == 0 })
    }

    @Test("A stream that is withheld and does not move continues after the next description, and so does a muted one")
    func withoutMove() throws {
        let (pipe, publisher) = try VirtualPipe.withPublisher(seed: 1011)
        try pipe.origin.publish(stream: "second", source: 2)
        try pipe.run(seconds: 1)
        let first = try (0..<3).map { _ in try pipe.mirror.view() }
        let second = try (0..<3).map { _ in try pipe.mirror.view(stream: "second", source: 2) }
        try pipe.run(seconds: 2)
        try withhold(["stream", "second"], pipe)
        let answered = sent(pipe)
        try pipe.origin.control { try $0.setMuted(session: "room", stream: "second", kind: .video, muted: true) }
        pipe.origin.run(seconds: 0.5)
        #expect(sent(pipe) == answered)
        let snapshot = try pipe.mirror.control { try $0.streams(session: "room") }
        #expect(snapshot.map(\.name) == ["stream", "second"])
        var before = (first + second).map(\.reception)
        try pipe.update()
        pipe.origin.run(seconds: 1)
        for (subscriber, before) in zip(first, before) {
            #expect(subscriber.reception.frames > before.frames + 25, "\(subscriber.reception)")
            #expect(subscriber.reception.audioPackets > before.audioPackets + 45, "\(subscriber.reception)")
        }
        for (subscriber, before) in zip(second, before[3...]) {
            #expect(
                subscriber.reception.frames == before.frames
                    && subscriber.reception.audioPackets > before.audioPackets + 45)
        }
        try pipe.origin.control { try $0.setMuted(session: "room", stream: "second", kind: .video, muted: false) }
        before = (first + second).map(\.reception)
        try pipe.run(seconds: 1)
        for (subscriber, before) in zip(first + second, before) {
            #expect(
                subscriber.reception.frames > before.frames + 25 && subscriber.reception.wrong == 0,
                "\(subscriber.reception)")
            #expect(
                subscriber.audio.isContiguous && subscriber.frames.isContiguous,
                "\(subscriber.audio) \(subscriber.frames)")
        }
        #expect(publisher.publisher.keyFrames > 0)
    }

    @Test("Only mirrors of the pipe are withheld, and only a receiving end withholds") func others() throws {
        let (pipe, _) = try VirtualPipe.withPublisher(seed: 1021)
        try pipe.mirror.publish(stream: "own", source: 2)
        pipe.origin.run(seconds: 1)
        let subscriber = try pipe.mirror.view(stream: "own", source: 2)
        try pipe.run(seconds: 1)
        try withhold(["own"], pipe)
        let before = subscriber.reception
        try pipe.run(seconds: 1)
        #expect(
            subscriber.reception.frames > before.frames + 25
                && subscriber.reception.audioPackets > before.audioPackets + 45)
        #expect(throws: EngineError.unknownTransport(pipe.sender.id.rawValue)) {
            try pipe.origin.control { try $0.withholdMirrors(["stream"], pipe.sender.id, session: "room") }
        }
        #expect(throws: EngineError.unknownTransport("x")) {
            try pipe.mirror.control { try $0.withholdMirrors([], TransportID(rawValue: "x"), session: "room") }
        }
        #expect(throws: EngineError.unknownSession("other")) {
            try pipe.mirror.control { try $0.withholdMirrors([], pipe.receiver.id, session: "other") }
        }
    }

    @Test(
        "A stream whose name is in use is missing in the request, and taken with the same description once it is free")
    func names() throws {
        let (pipe, _) = try VirtualPipe.withPublisher(seed: 1031)
        try pipe.origin.publish(stream: "second", source: 2)
        let other = try pipe.mirror.publish(stream: "second", source: 3)
        try pipe.run(seconds: 1)
        let subscriber = try pipe.mirror.view(stream: "second", source: 3)
        try pipe.run(seconds: 1)
        #expect(pipe.description.streams.map(\.name) == ["stream", "second"])
        let offered = Set(pipe.description.streams[0].tracks.map(\.number))
        #expect(Set(pipe.tracks.map(\.number)) == offered && subscriber.reception.frames > 20)
        let description = pipe.description
        other.close()
        pipe.origin.run(seconds: 0.5)
        subscriber.expect(2)
        try pipe.update()
        #expect(pipe.description == description)
        #expect(Set(pipe.tracks.map(\.number)) == Set(description.streams.flatMap(\.tracks).map(\.number)))
        try pipe.run(seconds: 1)
        #expect(subscriber.reception.frames > 20 && subscriber.reception.wrong == 0, "\(subscriber.reception)")
    }
}

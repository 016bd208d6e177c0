import MediaBase
import MediaEngine
import MillraceTestKit
import RTP
import Testing

/// Sessions whose subscribers are on several workers of a relay, in virtual time. All other tests of sessions in virtual time run on several
/// workers too if `MILLRACE_TEST_WORKERS` says so; nothing else may change.
@Suite("Parts of a session on several workers")
struct PartTests {
    private static func spread(_ configuration: inout EngineConfiguration) {
        configuration.workers = 3
        configuration.spreadLoad = 0
        configuration.webRTC.startBitrate = .kilobits(8_000)
    }

    /// Workers that made the ids of the participants' subscribe peer connections.
    private static func workers(of participants: [VirtualParticipant]) -> Set<String> {
        Set(participants.compactMap { $0.subscriberID.map { String($0.rawValue.prefix(2)) } })
    }

    @Test("CLU-1 a session's subscribers are spread over all workers, and each gets every stream with one decryption")
    func spread() throws {
        let room = try VirtualSession(seed: 300, Self.spread)
        for number in 0..<9 { try room.publish("camera \(number)", by: room.join("p\(number)")) }
        for participant in room.participants {
            for stream in room.sources.keys.sorted() where participant.published[0].name != stream {
                try room.subscribe(participant, to: stream)
            }
        }
        try room.run(seconds: 2)
        #expect(Self.workers(of: room.participants).count == 3)
        let received = room.call.relay.counters.packetsReceived
        for participant in room.participants { participant.forgetReceived() }
        try room.run(seconds: 1)
        for participant in room.participants {
            #expect(participant.strays.isEmpty, "\(participant.strays.prefix(3))")
            for stream in room.sources.keys where participant.published[0].name != stream {
                #expect(participant.received[stream]?.audioPackets ?? 0 >= 48, "\(participant.name) \(stream)")
                #expect(participant.received[stream]?.frames ?? 0 >= 18, "\(participant.name) \(stream)")
            }
        }
        // 50 audio packets and 20 video frames of one or two packets from each publisher, whatever the number of workers.
        let counted = room.call.relay.counters.packetsReceived - received
        #expect((9 * 68...9 * 92).contains(counted), "\(counted)")
        let streams = try room.call.relay.streams(session: room.session)
        #expect(streams.count == 9)
        #expect(room.call.relay.counters.sessions == 1 && room.call.relay.counters.streams == 9)
        #expect(room.call.relay.counters.droppedLink == 0)
    }

    @Test(
        "CLU-1 SUB-3 after a mute or a move has been answered, no packet that it excludes arrives, on any worker",
        arguments: 1...6, [0, 60])
    func random(_ seed: UInt64, _ linkDelay: Int64) throws {
        let room = try VirtualSession(seed: 310 + seed, Self.spread)
        // Packets of a worker wait that long for another one, and messages too unless a call waits for them.
        room.call.relay.linkDelay = .milliseconds(linkDelay)
        for number in 0..<8 { try room.publish("camera \(number)", by: room.join("p\(number)")) }
        for participant in room.participants {
            for stream in room.sources.keys.sorted() where participant.published[0].name != stream {
                try room.subscribe(participant, to: stream)
            }
        }
        try room.run(seconds: 2)
        let names = [MediaEngine.mainSubsession, "one", "two"]
        var muted: [String: Set<MediaKind>] = [:]
        for _ in 0..<60 {
            if room.below(2) == 0 {
                room.move(room.participants.filter { _ in room.below(6) == 0 }, to: names[room.below(3)])
            } else {
                let stream = "camera \(room.below(8))"
                let kind = MediaKind.allCases[room.below(2)]
                let isMuted = muted[stream]?.contains(kind) ?? false
                try room.mute(stream, kind, !isMuted)
                if isMuted { muted[stream]?.remove(kind) } else { muted[stream, default: []].insert(kind) }
            }
            try room.run(seconds: Double(room.below(120)) / 1_000)
        }
        for (stream, kinds) in muted { for kind in kinds { try room.mute(stream, kind, false) } }
        try room.run(seconds: 1)
        for participant in room.participants { participant.forgetReceived() }
        try room.run(seconds: 1)
        for participant in room.participants {
            #expect(participant.strays.isEmpty, "\(participant.strays.prefix(3))")
            for other in room.participants where other !== participant {
                let received = participant.received[other.published[0].name]
                let isTogether = other.subsession == participant.subsession
                #expect((received?.audioPackets ?? 0 > 40) == isTogether, "\(participant.name) \(other.name)")
                #expect((received?.frames ?? 0 > 15) == isTogether, "\(participant.name) \(other.name)")
            }
        }
    }

    @Test("CLU-1 the loudest streams are the same on every worker")
    func loudness() throws {
        let room = try VirtualSession(seed: 320) {
            Self.spread(&$0)
            $0.webRTC.loudestAudio = 2
        }
        for number in 0..<6 {
            let participant = room.join("p\(number)")
            participant.level = AudioLevel(level: UInt8(10 + 10 * number), isVoice: true)
            try room.publish("s\(number)", by: participant, video: [])
        }
        let listeners = (0..<6).map { room.join("listener \($0)") }
        for listener in listeners { for number in 0..<6 { try room.subscribe(listener, to: "s\(number)") } }
        try room.run(seconds: 4)
        #expect(Self.workers(of: listeners).count == 3)
        for listener in listeners { listener.forgetReceived() }
        try room.run(seconds: 2)
        for listener in listeners {
            let heard = listener.received.filter { $0.value.audioPackets > 0 }.keys.sorted()
            #expect(heard == ["s0", "s1"], "\(listener.name)")
            #expect(heard.allSatisfy { listener.received[$0]?.audioPackets ?? 0 >= 98 }, "\(listener.name)")
        }
        // A withheld stream that becomes loud continues without a gap.
        room.participants[5].level = AudioLevel(level: 1, isVoice: true)
        try room.run(seconds: 3)
        for listener in listeners {
            #expect(listener.received["s5"]?.audioPackets ?? 0 > 100, "\(listener.name)")
            #expect(listener.strays.isEmpty, "\(listener.strays.prefix(3))")
        }
    }

    @Test("CLU-1 a part ends with its last subscriber, and the session with its last part")
    func end() throws {
        let room = try VirtualSession(seed: 330, Self.spread)
        let ada = room.join("Ada")
        try room.publish("camera", by: ada)
        let subscribers = (0..<6).map { room.join("subscriber \($0)") }
        for subscriber in subscribers { try room.subscribe(subscriber, to: "camera") }
        try room.run(seconds: 1)
        #expect(room.call.relay.counters.transports == 7)
        // The publisher leaves first: its session remains for the subscribers of all workers, and its next stream reaches them.
        try room.call.control { try $0.closeWebRTC(ada.publisherID!, session: room.session) }
        try room.run(seconds: 0.5)
        #expect(room.call.relay.counters.sessions == 1 && room.call.relay.counters.streams == 0)
        let bob = room.join("Bob")
        try room.publish("second", by: bob)
        for subscriber in subscribers { try room.subscribe(subscriber, to: "second") }
        try room.run(seconds: 1.5)
        for subscriber in subscribers { #expect(subscriber.received["second"]?.frames ?? 0 > 10, "\(subscriber.name)") }
        try room.call.control { relay in
            for subscriber in subscribers { try relay.closeWebRTC(subscriber.subscriberID!, session: room.session) }
            try relay.closeWebRTC(bob.publisherID!, session: room.session)
        }
        try room.run(seconds: 0.5)
        #expect(room.call.relay.counters.sessions == 0 && room.call.relay.counters.transports == 0)
        #expect(throws: EngineError.unknownSession(room.session)) {
            try room.call.relay.streams(session: room.session)
        }
    }

    @Test("CLU-1 the limit of a session's transports holds over all workers")
    func limit() throws {
        let room = try VirtualSession(seed: 340) {
            Self.spread(&$0)
            $0.limits.transportsPerSession = 5
        }
        try room.publish("camera", by: room.join("Ada"))
        try room.run(seconds: 0.5)
        for number in 0..<4 { try room.subscribe(room.join("subscriber \(number)"), to: "camera") }
        #expect(throws: EngineError.limitReached(name: "transportsPerSession", limit: 5)) {
            try room.subscribe(room.join("late"), to: "camera")
        }
        try room.run(seconds: 1)
        #expect(room.participants[1...4].allSatisfy { $0.received["camera"]?.frames ?? 0 > 5 })
        let gone = room.participants[2].subscriberID!
        try room.call.control { try $0.closeWebRTC(gone, session: room.session) }
        try room.subscribe(room.participants[5], to: "camera")
        try room.run(seconds: 1)
        #expect(room.participants[5].received["camera"]?.frames ?? 0 > 5)
    }

    @Test("CLU-1 subscribers of one stream (WHEP) on every worker see its frames, and its simulcast encodings")
    func views() throws {
        let call = try VirtualCall(seed: 350, Self.spread)
        try call.publish(
            rids: ParticipantTests.rids,
            video: [
                .init(width: 160, height: 90, bitrate: .kilobits(80)),
                .init(width: 320, height: 180, bitrate: .kilobits(200)),
                .init(width: 640, height: 360, bitrate: .kilobits(500)),
            ])
        call.run(seconds: 0.5)
        let subscribers = try (0..<6).map { _ in try call.view() }
        #expect(Set(subscribers.map { $0.id.rawValue.prefix(2) }).count == 3)
        call.run(seconds: 3)
        for subscriber in subscribers {
            let reception = subscriber.subscriber.reception
            #expect(reception.wrong == 0 && reception.frames > 40, "\(reception)")
        }
        #expect(throws: EngineError.unknownStream("other")) { try call.view(stream: "other") }
    }
}

import MediaBase
import MediaEngine
import MillraceTestKit
import RTP
import Testing

@Suite("Subsessions of a session in virtual time")
struct SubsessionTests {
    @Test("SUB-3 a participant moved away receives no more media, and sees a frame at once when both meet again")
    func partAndMeet() throws {
        let (room, ada, bob) = try ParticipantTests.pair(seed: 61)
        try room.run(seconds: 0.5)
        #expect(bob.received["camera"]?.frames ?? 0 > 5)
        for round in 0..<4 {
            room.move([round % 2 == 0 ? bob : ada], to: "one")
            try room.run(seconds: 0.05)
            bob.forgetReceived()
            try room.run(seconds: 1)
            #expect(bob.received["camera"]?.packets == 0, "round \(round)")
            room.move([round % 2 == 0 ? ada : bob], to: "one")
            let since = room.call.now
            var isSeen = false
            while !isSeen, room.call.now - since < .milliseconds(200) {
                try room.run(seconds: 0.005)
                isSeen = bob.received["camera"]?.frames ?? 0 > 0 && bob.received["camera"]?.audioPackets ?? 0 > 0
            }
            #expect(isSeen, "round \(round)")
            room.move([ada, bob], to: MediaEngine.mainSubsession)
            try room.run(seconds: 0.3)
        }
        #expect(bob.strays.isEmpty, "\(bob.strays.prefix(3))")
    }

    @Test(
        "SUB-3 no one receives media captured in another subsession, however soon its publisher returns",
        arguments: 1...3)
    func filmedElsewhere(_ seed: UInt64) throws {
        let (room, ada, bob) = try ParticipantTests.pair(seed: 100 + seed)
        let cleo = room.join("Cleo")
        try room.subscribe(cleo, to: "camera")
        room.move([cleo], to: "one")
        try room.run(seconds: 1)
        for _ in 0..<20 {
            // Bob does not move; he must not receive the media that Cleo sees in the other subsession.
            room.move([ada], to: "one")
            try room.run(seconds: 0.03 + Double(room.below(900)) / 1_000)
            bob.forgetReceived()
            room.move([ada], to: MediaEngine.mainSubsession)
            try room.run(seconds: 0.8)
            #expect(bob.received["camera"]?.frames ?? 0 >= 3)
            #expect(bob.received["camera"]?.audioPackets ?? 0 >= 35)
        }
        #expect((bob.strays + cleo.strays).isEmpty, "\((bob.strays + cleo.strays).prefix(3))")
    }

    @Test("SUB-3 participants who move together stay connected; later peers are in their assigned subsession")
    func together() throws {
        let (room, ada, bob) = try ParticipantTests.pair(seed: 62)
        try room.run(seconds: 0.5)
        bob.forgetReceived()
        room.move([ada, bob], to: "one")
        try room.run(seconds: 1)
        #expect(bob.received["camera"]?.audioPackets ?? 0 >= 49)
        #expect(bob.received["camera"]?.frames ?? 0 >= 19)
        let cleo = room.join("Cleo")
        try room.publish("late", by: cleo)
        try room.subscribe(cleo, to: "camera")
        room.move([cleo], to: "two")
        try room.subscribe(bob, to: "late")
        try room.run(seconds: 1)
        #expect(cleo.received["camera"]?.packets ?? 0 == 0)
        #expect(bob.received["late"]?.packets ?? 0 == 0)
        room.move([cleo], to: "one")
        try room.run(seconds: 1)
        #expect(cleo.received["camera"]?.frames ?? 0 > 15)
        #expect(bob.received["late"]?.frames ?? 0 > 15)
        // A new stream starts in the subsession of its publisher.
        room.move([ada], to: "two")
        try room.publish("screen", by: ada, audio: false)
        try room.subscribe(bob, to: "screen")
        try room.run(seconds: 1)
        #expect(bob.received["screen"]?.packets ?? 0 == 0)
        #expect((bob.strays + cleo.strays).isEmpty, "\((bob.strays + cleo.strays).prefix(3))")
    }

    @Test("SUB-3 preferences hold: meeting a participant does not send what was not subscribed to, and mutes stay")
    func preferences() throws {
        let (room, ada, bob) = try ParticipantTests.pair(seed: 63)
        try room.prefer(bob, "camera", StreamPreferences(audio: true, video: false))
        room.move([ada], to: "one")
        try room.prefer(bob, "camera", StreamPreferences(audio: false, video: true))
        try room.mute("camera", .video, true)
        room.move([bob], to: "one")
        try room.run(seconds: 0.1)
        bob.forgetReceived()
        try room.run(seconds: 1)
        #expect(bob.received["camera"]?.packets == 0)
        try room.mute("camera", .video, false)
        try room.run(seconds: 1)
        #expect(bob.received["camera"]?.frames ?? 0 > 15)
        #expect(bob.received["camera"]?.audioPackets == 0)
        #expect(bob.strays.isEmpty, "\(bob.strays.prefix(3))")
    }

    @Test("SUB-3 loud participants in another subsession replace no one; each subsession has its own speaker")
    func loudness() async throws {
        let room = try VirtualSession(seed: 64) { $0.webRTC.loudestAudio = 2 }
        let people = try (0..<6).map { number in
            let participant = room.join("p\(number)")
            participant.level = AudioLevel(level: number < 4 ? 10 : 40, isVoice: true)
            try room.publish("s\(number)", by: participant, video: [])
            return participant
        }
        for person in people {
            for other in people where other !== person { try room.subscribe(person, to: "s\(other.name.dropFirst())") }
        }
        try room.run(seconds: 1)
        // The last two are softer than all others, and hear each other once they have moved.
        room.move(Array(people[4...]), to: "one")
        try room.run(seconds: 4)
        for person in people { person.forgetReceived() }
        try room.run(seconds: 2)
        #expect(people[4].received["s5"]?.audioPackets ?? 0 >= 99)
        #expect(people[5].received["s4"]?.audioPackets ?? 0 >= 99)
        let heard = (1..<4).map { people[0].received["s\($0)"]?.audioPackets ?? 0 }
        #expect(heard.count { $0 > 0 } <= 2, "\(heard)")
        #expect(people.allSatisfy { $0.strays.isEmpty })
        room.call.control { $0.close() }
        var speakers: [String: Set<String>] = [:]
        for await event in room.call.relay.events {
            if case .activeSpeaker(_, let name, let stream?) = event { speakers[name, default: []].insert(stream) }
        }
        #expect(speakers["one"]?.isSubset(of: ["s4", "s5"]) == true, "\(speakers)")
        #expect(speakers[MediaEngine.mainSubsession]?.isDisjoint(with: ["s4", "s5"]) == true, "\(speakers)")
    }

    @Test("SUB-3 whatever the moves, no one receives media from another subsession", arguments: 1...4)
    func randomMoves(_ seed: UInt64) throws {
        let room = try VirtualSession(seed: 70 + seed) { $0.webRTC.startBitrate = .kilobits(8_000) }
        for number in 0..<8 {
            let participant = room.join("p\(number)")
            try room.publish("camera \(number)", by: participant)
        }
        for participant in room.participants {
            for stream in room.sources.keys.sorted() where participant.published.first?.name != stream {
                try room.subscribe(participant, to: stream)
            }
        }
        try room.run(seconds: 2)
        let names = [MediaEngine.mainSubsession, "one", "two"]
        for _ in 0..<60 {
            let some = room.participants.filter { _ in room.below(6) == 0 }
            room.move(some, to: names[room.below(3)])
            try room.run(seconds: Double(room.below(120)) / 1_000)
        }
        try room.run(seconds: 1)
        for participant in room.participants { participant.forgetReceived() }
        try room.run(seconds: 1)
        for participant in room.participants {
            #expect(participant.strays.isEmpty, "\(participant.strays.prefix(3))")
            for other in room.participants where other !== participant {
                let stream = other.published[0].name
                let received = participant.received[stream]
                let isTogether = other.subsession == participant.subsession
                #expect((received?.audioPackets ?? 0 > 40) == isTogether, "\(participant.name) \(stream)")
                #expect((received?.frames ?? 0 > 15) == isTogether, "\(participant.name) \(stream)")
            }
        }
    }

    @Test("SUB-3 five hundred talkers in fifty subsessions, moved one after the other and brought back at once")
    func fiveHundred() throws {
        let (count, roomCount) = (500, 50)
        let room = try VirtualSession(seed: 80, audioInterval: .milliseconds(200)) {
            $0.limits.streamsPerSession = 1_000
        }
        for number in 0..<count { try room.publish("s\(number)", by: room.join("p\(number)"), video: []) }
        // Each subscribes to the streams of its own subsession and to four of another.
        for (number, participant) in room.participants.enumerated() {
            for mate in stride(from: number % roomCount, to: count, by: roomCount) where mate != number {
                try room.subscribe(participant, to: "s\(mate)", kinds: [.audio])
            }
            for other in 1...4 { try room.subscribe(participant, to: "s\((number + other) % count)", kinds: [.audio]) }
        }
        try room.run(seconds: 3)
        let moving = ThreadTime.measure {
            for (number, participant) in room.participants.enumerated() {
                room.move([participant], to: "room \(number % roomCount)")
            }
        }
        try room.run(seconds: 0.1)
        for participant in room.participants { participant.forgetReceived() }
        try room.run(seconds: 1)
        for (number, participant) in room.participants.enumerated() {
            let heard = Set(participant.received.filter { $0.value.audioPackets > 0 }.keys)
            let mates = stride(from: number % roomCount, to: count, by: roomCount).filter { $0 != number }
            #expect(heard == Set(mates.map { "s\($0)" }), "\(participant.name)")
            #expect(participant.strays.isEmpty, "\(participant.strays.prefix(3))")
        }
        let stopping = ThreadTime.measure { room.move(room.participants, to: MediaEngine.mainSubsession) }
        for participant in room.participants { participant.forgetReceived() }
        try room.run(seconds: 1)
        for participant in room.participants {
            #expect(participant.received.values.count { $0.audioPackets > 0 } == 13, "\(participant.name)")
            #expect(participant.strays.isEmpty, "\(participant.strays.prefix(3))")
        }
        print("500 in 50 rooms: the relay's part of moving them \(moving), of bringing them back \(stopping)")
        #expect(moving + stopping < .seconds(2))
    }
}

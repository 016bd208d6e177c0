import MediaBase
import NIOConcurrencyHelpers
import Signaling
import Testing

@Suite("Subsessions with media", .serialized)
struct SubsessionMediaTests {
    /// Clients that each publish a camera and subscribe to all others, and two started subsessions.
    private struct Stage {
        let people: [MediaClient]
        let streams: [StreamID]
        /// Media sections at each receiver, by publisher.
        let sections: [[Int: OfferMade.Stream]]
        let rooms: [SubsessionID]

        init(_ relay: ConnectFixture, count: Int) async throws {
            var people: [MediaClient] = []
            var streams: [StreamID] = []
            for index in 0..<count {
                let person = try await relay.enter("p\(index)", token: index == 0 ? .host : TestToken())
                streams.append(try #require(try await person.publish("camera \(index)").id))
                people.append(person)
            }
            for person in people {
                try await eventually("all streams are known") {
                    let late = person.socket.events.count { $0.event.name == .streamCreated }
                    return person.joined.streams.count + late >= count
                }
            }
            var sections: [[Int: OfferMade.Stream]] = []
            for (index, person) in people.enumerated() {
                var taken: [Int: OfferMade.Stream] = [:]
                for other in 0..<count where other != index {
                    taken[other] = try await person.subscribe(streams[other])
                }
                for section in taken.values { try await person.hears(section) }
                sections.append(taken)
            }
            let commit = CommitSubsessionsRequest(names: ["one", "two"])
            let list = try await people[0].socket.request(commit).get().subsessions
            #expect(try await people[0].socket.ask(StartSubsessionsRequest()) == nil)
            (self.people, self.streams, self.sections, rooms) = (people, streams, sections, list.map(\.id))
        }

        /// - Returns: time of the answer.
        func join(_ person: Int, _ room: Int) async throws -> MediaTime {
            let request = JoinSubsessionRequest(subsession: rooms[room])
            #expect(try await people[person].socket.ask(request) == nil)
            return MediaPeer.now
        }

        func comeBack(_ person: Int) async throws -> MediaTime {
            let request = ReturnToMainSessionRequest()
            #expect(try await people[person].socket.ask(request) == nil)
            return MediaPeer.now
        }

        /// Capture time of the newest audio that one participant received of another.
        func heard(_ person: Int, of other: Int) -> MediaTime {
            people[person].receiving.reception(sections[person][other]?.audioMid).lastAudio
        }

        func frames(_ person: Int, of other: Int) -> Int {
            people[person].receiving.reception(sections[person][other]?.videoMid).frames
        }

        func close() async { for person in people { await person.close() } }
    }

    @Test(
        "SUB-3 SUB-4 media stops before a move is answered, and media of the new subsession arrives within 200 ms",
        .timeLimit(.minutes(2)))
    func moving() async throws {
        try await withConnect({ $0.connect.conference.movesPerSecond = 100 }) { relay in
            let stage = try await Stage(relay, count: 3)
            let parted = try await stage.join(1, 0)
            let before = (stage.frames(0, of: 1), stage.frames(1, of: 0), stage.frames(1, of: 2))
            // Participants who are still together keep their media, and no audio captured since then reaches the other subsession.
            try await stage.people[0].sees(8, more: try #require(stage.sections[0][2]))
            for (person, other) in [(0, 1), (1, 0), (1, 2), (2, 1)] {
                #expect(stage.heard(person, of: other) <= parted, "\(person) hears \(other)")
            }
            // One frame may have been in flight.
            #expect(stage.frames(0, of: 1) <= before.0 + 1 && stage.frames(1, of: 0) <= before.1 + 1)
            #expect(stage.frames(1, of: 2) <= before.2 + 1)
            guard case .subscriptionChanged(let change) = try await last(.subscriptionChanged, of: stage.people[1])
            else {
                return
            }
            #expect(change.state == .suspended)

            // Time from the request to the first frame and audio packet, in both directions.
            var longest = MediaTime.zero
            for round in 0..<6 {
                let mover = round % 2 == 0 ? 2 : 1
                let (one, two) = (stage.frames(1, of: 2), stage.frames(2, of: 1))
                let asked = MediaPeer.now
                _ = try await stage.join(mover, 0)
                try await eventually("both see each other") {
                    stage.frames(1, of: 2) > one && stage.frames(2, of: 1) > two
                        && stage.heard(1, of: 2) > asked && stage.heard(2, of: 1) > asked
                }
                longest = max(longest, MediaPeer.now - asked)
                let first = round % 2 == 0 ? 1 : 2
                _ = try await stage.comeBack(first)
                try await stage.people[first].sees(1, more: try #require(stage.sections[first][0]))
                _ = try await stage.comeBack(3 - first)
                // More frames follow, so that the cache holds more than a key frame.
                try await stage.people[0].sees(4, more: try #require(stage.sections[0][2]))
                _ = try await stage.join(3 - first, 0)
            }
            print("moved to first frame and audio, both ways: at most \(longest.milliseconds) ms")
            #expect(longest < .milliseconds(200))
            #expect(stage.people.allSatisfy { $0.socket.events.count { $0.event.name == .offer } <= 3 })
            await stage.close()
        }
    }

    @Test(
        "SUB-3 a subscription to a user of another subsession is offered when both meet",
        .timeLimit(.minutes(2)))
    func unheard() async throws {
        try await withConnect { relay in
            let stage = try await Stage(relay, count: 2)
            _ = try await stage.join(1, 0)
            let screen = try #require(
                try await stage.people[1].publish(
                    "screen", videoType: .screen, audio: false,
                    besides: [
                        PublishRequest.Stream(
                            id: stage.streams[1], name: "camera 1", audioMid: "0", videoMid: "1")
                    ]
                ).id)
            let late = try await relay.enter("late")
            try await eventually("the screen is there") {
                late.joined.streams.contains { $0.id == screen }
                    || late.socket.events.contains {
                        if case .streamCreated(let body) = $0.event { body.stream.id == screen } else { false }
                    }
            }
            #expect(late.joined.subsessions.status == .started)
            #expect(late.joined.subsessions.subsessions[0].users == [stage.people[1].joined.connection])
            for stream in [stage.streams[1], screen] {
                #expect(try await late.socket.ask(SubscribeRequest(stream: stream)) == nil)
                guard case .subscriptionChanged(let change) = try await late.socket.next(.subscriptionChanged) else {
                    return
                }
                #expect(change.stream == stream && change.state == .suspended)
            }
            try await stage.people[0].socket.settle()
            #expect(!late.socket.events.contains { $0.event.name == .offer })
            let join = JoinSubsessionRequest(subsession: stage.rooms[0])
            #expect(try await late.socket.ask(join) == nil)
            // Subscriptions that are made at about the same time share an offer.
            let offer = try await late.answerOffer()
            #expect(Set(offer.streams.map(\.id)) == [stage.streams[1], screen])
            for stream in offer.streams { try await late.hears(stream) }
            await stage.close()
            await late.close()
        }
    }

    @Test("SUB-2 SUB-3 stop moves all participants back at once, and all receive all streams", .timeLimit(.minutes(2)))
    func stop() async throws {
        try await withConnect { relay in
            let stage = try await Stage(relay, count: 4)
            for person in 0..<4 { _ = try await stage.join(person, person % 2) }
            for (person, other) in [(0, 2), (1, 3), (2, 0), (3, 1)] {
                try await stage.people[person].hears(try #require(stage.sections[person][other]))
            }
            #expect(try await stage.people[0].socket.ask(StopSubsessionsRequest()) == nil)
            let stopped = MediaPeer.now
            for person in 0..<4 {
                for other in 0..<4 where other != person {
                    try await stage.people[person].hears(try #require(stage.sections[person][other]))
                }
            }
            print("stopped to everybody hearing everybody: \((MediaPeer.now - stopped).milliseconds) ms")
            try await eventually("all are told") {
                stage.people.allSatisfy { person in
                    person.socket.events.contains {
                        if case .subsessionsChanged(let body) = $0.event { body.change == .stopped } else { false }
                    }
                }
            }
            await stage.close()
        }
    }

    private func last(_ name: EventName, of client: MediaClient) async throws -> Event {
        let event = try await client.socket.next(name)
        return client.socket.events.last { $0.event.name == name }?.event ?? event
    }
}

extension SocketClient {
    /// Waits until all events that the relay has sent so far have arrived.
    func settle() async throws {
        for _ in 0..<20 {
            #expect(try await ask(PingRequest()) == nil)
            await moment(.milliseconds(10))
        }
    }
}

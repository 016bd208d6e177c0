import Conference
import ControlServer
import MediaBase
import Signaling
import Testing

@Suite("Crowds in subsessions", .serialized)
struct SubsessionCrowdTests {
    /// A client that publishes audio of its own source and receives audio.
    private struct Person: Sendable {
        let client: MediaClient
        let room: Int
        /// Expected source of the audio in each section.
        var speakers: [String: Int] = [:]
    }

    @Test(
        "SUB-3 forty publishers move to ten subsessions at once and back: each hears only its own subsession",
        .timeLimit(.minutes(3)))
    func talking() async throws {
        let (count, roomCount) = (40, 10)
        try await withConnect { relay in
            let address = try SessionKey(app: "app", name: "demo")
            var people: [Person] = []
            var streams: [StreamID] = []
            for index in 0..<count {
                let (socket, answer) = try await relay.join("p\(index)", token: index == 0 ? .host : TestToken())
                let client = try await MediaClient(socket, answer, source: UInt32(index + 1))
                streams.append(try #require(try await client.publish("s\(index)", video: false).id))
                people.append(Person(client: client, room: index % roomCount))
            }
            try await eventually("all streams are there") {
                try await relay.liveSessions.streams(of: address).count == count
            }
            // Each subscribes to its own subsession and to one participant of each of two others.
            for index in 0..<count {
                let mates = stride(from: index % roomCount, to: count, by: roomCount).filter { $0 != index }
                for other in mates + [(index + 1) % count, (index + 2) % count] {
                    #expect(
                        try await people[index].client.socket.ask(SubscribeRequest(stream: streams[other]))
                            == nil)
                }
                let carried = try await people[index].client.answerOffers(until: mates.count + 2)
                for stream in carried {
                    guard let mid = stream.audioMid, let speaker = streams.firstIndex(of: stream.id) else { continue }
                    people[index].speakers[mid] = speaker
                }
            }
            let all = people
            func latest(_ person: Person, _ speaker: Int) -> MediaTime {
                let mid = person.speakers.first { $0.value == speaker }?.key
                return person.client.receiving.reception(mid).lastAudio
            }
            // The main session forwards ten speakers at a time; each client has negotiated all of its five subscriptions.
            #expect(all.allSatisfy { $0.speakers.count == 5 })
            let names = (0..<roomCount).map { "room \($0)" }
            let list = try await all[0].client.socket.request(
                CommitSubsessionsRequest(names: names)
            ).get().subsessions
            #expect(try await all[0].client.socket.ask(StartSubsessionsRequest()) == nil)

            let begun = MediaPeer.now
            try await withThrowingTaskGroup(of: Void.self) { group in
                for person in all {
                    group.addTask {
                        let join = JoinSubsessionRequest(subsession: list[person.room].id)
                        let error = try await person.client.socket.ask(join)
                        #expect(error == nil)
                    }
                }
                try await group.waitForAll()
            }
            let moved = MediaPeer.now
            try await eventually("everybody hears his room") {
                all.allSatisfy { person in
                    person.speakers.values.allSatisfy { all[$0].room != person.room || latest(person, $0) > moved }
                }
            }
            try await all[0].client.socket.settle()
            for (index, person) in all.enumerated() {
                for speaker in person.speakers.values where all[speaker].room != person.room {
                    #expect(latest(person, speaker) <= moved, "\(index) hears \(speaker)")
                }
                #expect(person.client.receiving.wrongSources(person.speakers) == [], "\(index)")
            }
            let stopping = MediaPeer.now
            #expect(try await all[0].client.socket.ask(StopSubsessionsRequest()) == nil)
            try await eventually("all are told, and hear others again") {
                let areTold = all.allSatisfy { person in
                    person.client.socket.events.contains {
                        if case .subsessionsChanged(let body) = $0.event { body.change == .stopped } else { false }
                    }
                }
                return areTold
                    && all.contains { person in
                        person.speakers.values.contains {
                            all[$0].room != person.room && latest(person, $0) > stopping
                        }
                    }
            }
            let (there, back) = (moved - begun, MediaPeer.now - stopping)
            print("\(count) in \(roomCount) rooms: moved in \(there.milliseconds) ms, back in \(back.milliseconds) ms")
            #expect(there + back < .seconds(2))
            for person in all { await person.client.close() }
        }
    }

    @Test(
        "SUB-3 SUB-4 SUB-6 two hundred clients move at once: all learn all locations, and chat stays in its subsession",
        .timeLimit(.minutes(3)))
    func listening() async throws {
        let (count, roomCount) = (200, 20)
        try await withConnect { relay in
            var sockets: [SocketClient] = []
            var ids: [ConnectionID] = []
            for index in 0..<count {
                let (socket, answer) = try await relay.join("p\(index)", token: index == 0 ? .host : TestToken())
                sockets.append(socket)
                ids.append(answer.connection)
            }
            let (all, connections) = (sockets, ids)
            let names = (0..<roomCount).map { "room \($0)" }
            let list = try await all[0].request(
                CommitSubsessionsRequest(names: names)
            ).get().subsessions
            #expect(try await all[0].ask(StartSubsessionsRequest()) == nil)
            let begun = MediaPeer.now
            try await withThrowingTaskGroup(of: Void.self) { group in
                for index in 1..<count {
                    group.addTask {
                        let join = JoinSubsessionRequest(subsession: list[index % roomCount].id)
                        let error = try await all[index].ask(join)
                        #expect(error == nil)
                    }
                }
                try await group.waitForAll()
            }
            try await eventually("everybody knows where everybody is") {
                all.allSatisfy { socket in socket.moves.count == count - 1 }
            }
            let moved = MediaPeer.now
            let batches = all[0].events.count { $0.event.name == .subsessionUsersChanged }
            for index in 1..<count {
                #expect(all[7].moves[connections[index]] == list[index % roomCount].id)
            }
            let state = try await all[0].request(SubsessionsRequest()).get()
            #expect(state.subsessions.map { Set($0.users).count }.reduce(0, +) == count - 1)

            #expect(try await all[0].ask(BroadcastRequest(text: "hear")) == nil)
            _ = try await all[3].request(ChatRequest(text: "three")).get()
            for socket in all { try await socket.settleOnce() }
            for index in 0..<count {
                let isInRoom = index != 0 && index % roomCount == 3
                #expect(all[index].events.count { $0.event.name == .broadcast } == (index == 0 ? 0 : 1))
                #expect(all[index].events.count { $0.event.name == .chat } == (isInRoom ? 1 : 0))
            }
            let stopping = MediaPeer.now
            #expect(try await all[0].ask(StopSubsessionsRequest()) == nil)
            try await eventually("everybody is back") {
                all.allSatisfy { socket in
                    socket.events.contains {
                        if case .subsessionsChanged(let body) = $0.event { body.change == .stopped } else { false }
                    }
                }
            }
            let back = MediaPeer.now - stopping
            print(
                "\(count) clients in \(roomCount) rooms: moved and all told in \((moved - begun).milliseconds) ms by "
                    + "\(batches) events each, back in \(back.milliseconds) ms")
            #expect(batches <= 20)
            #expect(moved - begun + back < .seconds(10))
            for socket in all { await socket.cut() }
        }
    }
}

extension SocketClient {
    /// Locations of users according to the received moves.
    fileprivate var moves: [ConnectionID: SubsessionID?] {
        var moves: [ConnectionID: SubsessionID?] = [:]
        for message in events {
            guard case .subsessionUsersChanged(let body) = message.event else { continue }
            for change in body.changes { moves[change.user] = change.to }
        }
        return moves
    }

    fileprivate func settleOnce() async throws { #expect(try await ask(PingRequest()) == nil) }
}

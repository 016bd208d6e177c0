import DTLS
import MediaBase
import Signaling

/// Subsessions: all publishing participants move into them at once, and are brought back at once.
extension CrowdRun {
    private static let longest: Int64 = 30_000_000_000
    /// Maximum number of participants that negotiate at the same time.
    private static let width = 16

    func makeMembers(_ voices: EndpointThread?) async throws(LoadError) -> [CrowdMember] {
        guard let voices else {
            return (0..<plan.total).map { CrowdMember(index: $0, session: $0 / plan.participants) }
        }
        let identity: DTLSIdentity
        do { identity = try DTLSIdentity.generate() } catch { throw .noAnswer("no certificate: \(error)") }
        var members: [CrowdMember] = []
        for index in 0..<plan.total {
            let voice = try CrowdVoice(source: UInt32(index + 1), localAddress: plan.localAddress, identity: identity)
            try await voices.add(index) { voice }
            members.append(CrowdMember(index: index, session: index / plan.participants, voice: voice))
        }
        return members
    }

    /// - Returns: the sums over all sessions, with the errors of those that failed; nil if there are no subsessions.
    func moveAll(
        _ members: [CrowdMember], _ progress: @escaping @Sendable (String) -> Void
    ) async -> (moves: CrowdReport.Moves, errors: [String])? {
        guard plan.subsessions > 0 else { return nil }
        var (moves, errors) = (CrowdReport.Moves(), [String]())
        for session in 0..<plan.sessions where !isInterrupted {
            do { moves.add(try await move(members.filter { $0.session == session }, progress)) } catch {
                errors.append("session \(session): \(error)")
            }
        }
        return (moves, errors)
    }

    /// A participant and its subsession.
    private struct Guest: Sendable {
        let member: CrowdMember
        let voice: CrowdVoice
        let subsession: Int
        var source: UInt32 { voice.source }
    }

    /// Moves the participants of one session and brings them back.
    private func move(
        _ members: [CrowdMember], _ progress: @escaping @Sendable (String) -> Void
    ) async throws -> CrowdReport.Moves {
        guard let host = members.first(where: { $0.joined?.subsessions.isManager == true }) else {
            throw LoadError.noAnswer("no participant is host")
        }
        let guests = members.filter { $0 !== host }.enumerated().compactMap { index, member in
            member.voice.map { Guest(member: member, voice: $0, subsession: index % plan.subsessions) }
        }
        let groups = Dictionary(grouping: guests, by: \.subsession)
        try await publish(guests)
        progress("\(guests.count) publish audio")
        try await subscribe(guests, groups, streams: try await streams(of: guests, host: host))
        progress("\(guests.count) are subscribed to the others of their subsession and to one of the next")
        let names = (1...plan.subsessions).map { "subsession \($0)" }
        let list = try await host.request(CommitSubsessionsRequest(names: names)).subsessions
        _ = try await host.request(StartSubsessionsRequest())

        var moves = CrowdReport.Moves()
        let begun = LoadClock.now
        let answered = try await guests.mapConcurrently(atMost: guests.count) { guest in
            _ = try await guest.member.request(JoinSubsessionRequest(subsession: list[guest.subsession].id))
            return LoadClock.now
        }
        moves.moved = Self.milliseconds(since: begun)
        let times = Dictionary(uniqueKeysWithValues: zip(guests.map(\.source), answered))
        func time(_ source: UInt32) -> Int64 { times[source] ?? .max }
        func silent() -> Int {
            guests.reduce(0) { sum, guest in
                let newest = guest.voice.newest
                let group = groups[guest.subsession] ?? []
                return sum
                    + group.count {
                        $0.source != guest.source
                            && newest[$0.source] ?? 0 < max(time($0.source), time(guest.source))
                    }
            }
        }
        try? await wait { silent() == 0 }
        moves.heard = Self.milliseconds(since: begun)
        try? await wait { members.allSatisfy { $0.subsessions.moves >= guests.count } }
        moves.told = Self.milliseconds(since: begun, until: members.map(\.subsessions.movedAt).max() ?? begun)
        moves.untold = members.count { $0.subsessions.moves != guests.count }
        progress("all have moved, and hear their subsessions")
        try? await Task.sleep(nanoseconds: UInt64(plan.duration.rawValue))
        moves.silent = silent()
        // Audio from another subsession must have been sent before the first of the two participants moved.
        let subsessions = Dictionary(uniqueKeysWithValues: guests.map { ($0.source, $0.subsession) })
        for guest in guests {
            moves.strays += guest.voice.newest.count { source, newest in
                subsessions[source] != guest.subsession && newest > min(time(source), time(guest.source))
            }
        }
        let stopping = LoadClock.now
        _ = try await host.request(StopSubsessionsRequest())
        try? await wait { members.allSatisfy { $0.subsessions.stoppedAt > stopping } }
        moves.stopped = Self.milliseconds(since: stopping, until: members.map(\.subsessions.stoppedAt).max() ?? 0)
        moves.left = members.count { $0.subsessions.stoppedAt < stopping }
        moves.participants = guests.count
        moves.packetsHeard = guests.reduce(0) { $0 + $1.voice.packetsHeard }
        progress("all are back")
        return moves
    }

    /// Returns the time between two moments in milliseconds, by whole microseconds.
    private static func milliseconds(since start: Int64, until end: Int64 = LoadClock.now) -> Double {
        Double((end - start) / 1_000) / 1_000
    }

    private func publish(_ guests: [Guest]) async throws {
        try await guests.mapConcurrently(atMost: Self.width) { guest in
            let (sdp, mid) = guest.voice.offer()
            let stream = PublishRequest.Stream(name: "voice", audioMid: mid)
            let answer = try await guest.member.request(PublishRequest(sdp: sdp, streams: [stream]))
            try guest.voice.accept(answer.sdp)
        }
        try await wait { guests.allSatisfy { $0.voice.isPublishing } }
    }

    /// Returns the stream id of each connection, once all streams are announced.
    private func streams(of guests: [Guest], host: CrowdMember) async throws -> [ConnectionID: StreamID] {
        let end = LoadClock.now + Self.longest
        while true {
            var streams: [ConnectionID: StreamID] = [:]
            var page: UInt64? = 0
            while let after = page {
                let next = try await host.request(UsersRequest(after: after))
                for stream in next.streams { streams[stream.connection] = stream.id }
                page = next.nextPage
            }
            if streams.count >= guests.count || LoadClock.now > end { return streams }
            try await Task.sleep(for: .milliseconds(200))
        }
    }

    /// Subscribes each guest to all others of its subsession and to one of the next.
    private func subscribe(
        _ guests: [Guest], _ groups: [Int: [Guest]], streams: [ConnectionID: StreamID]
    ) async throws {
        try await guests.mapConcurrently(atMost: Self.width) { [count = plan.subsessions] guest in
            let next = groups[(guest.subsession + 1) % count] ?? []
            let others = (groups[guest.subsession] ?? []) + next.prefix(count > 1 ? 1 : 0)
            for other in others where other.source != guest.source {
                guard let connection = other.member.joined?.connection, let stream = streams[connection] else {
                    throw LoadError.noAnswer("a stream is missing")
                }
                _ = try await guest.member.request(
                    SubscribeRequest(stream: stream, preferences: SubscriptionPreferences(video: false)))
            }
        }
        try await wait { try guests.allSatisfy { try $0.voice.isConnected() } }
    }

    private func wait(_ condition: () throws -> Bool) async throws {
        let end = LoadClock.now + Self.longest
        while try !condition() {
            guard LoadClock.now < end, !isInterrupted else {
                throw LoadError.noAnswer("a wait timed out or was interrupted")
            }
            try await Task.sleep(for: .milliseconds(5))
        }
    }
}

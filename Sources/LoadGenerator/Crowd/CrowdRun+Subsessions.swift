import DTLS
import Foundation
import MediaBase
import Signaling

/// Subsessions: all publishing participants move into them at once, and are brought back at once.
extension CrowdRun {
    private static let longest: Int64 = 30_000_000_000
    private static let pause = Duration.milliseconds(5)
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

    /// Results of moving into subsessions and back.
    struct Subsessions: Sendable {
        var moves = CrowdReport.Moves()
        /// Participants that were not told of all moves (`untold`), or not of the end (`left`).
        var untold = 0
        var left = 0
        var failures: [String] = []
    }

    /// - Returns: nil if there are no subsessions.
    func moveAll(
        _ members: [CrowdMember], _ progress: @escaping @Sendable (String) -> Void
    ) async -> Subsessions? {
        guard plan.subsessions > 0 else { return nil }
        var findings = Subsessions()
        for session in 0..<plan.sessions where !isInterrupted {
            let those = members.filter { $0.session == session }
            do {
                let found = try await move(those, progress)
                findings.moves.add(found.moves)
                findings.untold += found.untold
                findings.left += found.left
            } catch {
                findings.failures.append("session \(session): \(error)")
            }
        }
        return findings
    }

    /// A participant and its subsession.
    private struct Guest: Sendable {
        let member: CrowdMember
        let voice: CrowdVoice
        let subsession: Int
    }

    private func move(
        _ members: [CrowdMember], _ progress: @escaping @Sendable (String) -> Void
    ) async throws -> Subsessions {
        guard let host = members.first(where: { $0.joined?.subsessions.isManager == true }) else {
            throw LoadError.noAnswer("no participant is host")
        }
        let guests = members.filter { $0 !== host }.enumerated().compactMap { index, member in
            member.voice.map { Guest(member: member, voice: $0, subsession: index % plan.subsessions) }
        }
        try await publish(guests)
        progress("\(guests.count) publish audio")
        let names = (1...plan.subsessions).map { "subsession \($0)" }
        try await subscribe(guests, streams: try await streams(of: guests, host: host))
        progress("\(guests.count) are subscribed to the others of their subsession and to one of the next")
        let list = try await host.request(CommitSubsessionsRequest(names: names)).subsessions
        _ = try await host.request(StartSubsessionsRequest())

        var findings = Subsessions()
        let begun = LoadClock.now
        let answered = try await each(guests, width: guests.count) { guest in
            let request = JoinSubsessionRequest(subsession: list[guest.subsession].id)
            _ = try await guest.member.request(request)
            return LoadClock.now
        }
        findings.moves.moved = Self.milliseconds(since: begun)
        let times = Dictionary(uniqueKeysWithValues: zip(guests.map(\.voice.source), answered))
        let subsessions = Dictionary(uniqueKeysWithValues: guests.map { ($0.voice.source, $0.subsession) })
        func mates(_ guest: Guest) -> [UInt32] {
            guests.filter { $0.subsession == guest.subsession && $0.voice !== guest.voice }.map(\.voice.source)
        }
        let wanted = guests.map { ($0, mates($0)) }
        func silent() -> Int {
            wanted.reduce(0) { sum, one in
                let newest = one.0.voice.newest
                return sum + one.1.count { newest[$0] ?? 0 < max(times[$0] ?? .max, times[one.0.voice.source] ?? .max) }
            }
        }
        try? await wait { silent() == 0 }
        findings.moves.heard = Self.milliseconds(since: begun)
        try? await wait { members.allSatisfy { $0.subsessions.moves >= guests.count } }
        findings.moves.told = Self.milliseconds(since: begun, until: members.map(\.subsessions.movedAt).max() ?? begun)
        findings.untold = members.count { $0.subsessions.moves != guests.count }
        progress("all have moved, and hear their subsessions")
        try? await Task.sleep(nanoseconds: UInt64(plan.duration.rawValue))
        findings.moves.silent = silent()
        // Audio from another subsession must have been sent before the first of the two participants moved.
        for guest in guests {
            for (source, newest) in guest.voice.newest where subsessions[source] != guest.subsession {
                let parted = min(times[source] ?? .max, times[guest.voice.source] ?? .max)
                if newest > parted { findings.moves.strays += 1 }
            }
        }
        let stopping = LoadClock.now
        _ = try await host.request(StopSubsessionsRequest())
        try? await wait { members.allSatisfy { $0.subsessions.stoppedAt > stopping } }
        findings.moves.stopped = Self.milliseconds(
            since: stopping, until: members.map(\.subsessions.stoppedAt).max() ?? 0)
        findings.left = members.count { $0.subsessions.stoppedAt < stopping }
        findings.moves.participants = guests.count
        findings.moves.packetsHeard = guests.reduce(0) { $0 + $1.voice.packetsHeard }
        progress("all are back")
        return findings
    }

    /// Returns the time between two moments in milliseconds, by whole microseconds.
    private static func milliseconds(since start: Int64, until end: Int64 = LoadClock.now) -> Double {
        Double((end - start) / 1_000) / 1_000
    }

    // MARK: media

    private func publish(_ guests: [Guest]) async throws {
        _ = try await each(guests, width: Self.width) { guest in
            let (sdp, mid) = guest.voice.offer()
            let stream = PublishRequest.Stream(name: "voice", audioMid: mid)
            let answer = try await guest.member.request(
                PublishRequest(sdp: sdp, streams: [stream]))
            try guest.voice.accept(answer.sdp)
            return 0
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

    private func subscribe(_ guests: [Guest], streams: [ConnectionID: StreamID]) async throws {
        let count = plan.subsessions
        _ = try await each(guests, width: Self.width) { guest in
            let next = guests.first { $0.subsession == (guest.subsession + 1) % count }
            let others =
                guests.filter { $0.subsession == guest.subsession && $0.voice !== guest.voice }
                + [next].compactMap(\.self)
            for other in others where other.voice !== guest.voice {
                guard let connection = other.member.joined?.connection, let stream = streams[connection] else {
                    throw LoadError.noAnswer("a stream is missing")
                }
                let preferences = SubscriptionPreferences(video: false)
                _ = try await guest.member.request(
                    SubscribeRequest(stream: stream, preferences: preferences))
            }
            return 0
        }
        try await wait { try guests.allSatisfy { try $0.voice.isConnected() } }
    }

    // MARK: waiting

    private func wait(_ condition: () throws -> Bool) async throws {
        let end = LoadClock.now + Self.longest
        while try !condition() {
            guard LoadClock.now < end, !isInterrupted else {
                throw LoadError.noAnswer("a wait timed out or was interrupted")
            }
            try await Task.sleep(for: Self.pause)
        }
    }

    /// Runs `body` for all guests, at most `width` at a time, and returns the results in order.
    private func each(
        _ guests: [Guest], width: Int, _ body: @escaping @Sendable (Guest) async throws -> Int64
    ) async throws -> [Int64] {
        try await withThrowingTaskGroup(of: (Int, Int64).self) { group in
            var results = [Int64](repeating: 0, count: guests.count)
            var rest = guests.enumerated().makeIterator()
            func begin() {
                guard let (index, guest) = rest.next() else { return }
                group.addTask { (index, try await body(guest)) }
            }
            for _ in 0..<max(1, width) { begin() }
            while let (index, result) = try await group.next() {
                results[index] = result
                begin()
            }
            return results
        }
    }
}

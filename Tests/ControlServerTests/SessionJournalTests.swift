import Conference
import MediaBase
import Recording
import Signaling
import Testing

@testable import ControlServer

@Suite("REC-2 Journal of joins, leaves and moves while a session is recorded") struct SessionJournalTests {
    /// Returns a session with Ada, who is host and publishes a stream, which is recorded from `begin` seconds on.
    private static func recorded(
        limits: ConferenceLimits = ConferenceLimits(), begin: Double = 10
    ) throws -> (session: JournaledSession, ada: ConnectionID, stream: StreamID) {
        let session = try JournaledSession(limits: limits)
        let ada = try session.join("Ada", identity: "u-ada")
        let stream = try session.publish(ada)
        session.pass(.seconds(begin))
        session.media(.recorded(stream, true))
        return (session, ada, stream)
    }

    @Test("Joins and leaves are noted while a stream is recorded; earlier users are present, and do not join")
    func joinsAndLeaves() async throws {
        let (session, ada, stream) = try Self.recorded(begin: 0)
        session.media(.recorded(stream, false))
        let gone = try session.join("Gone")
        let bo = try session.join("Bo")
        try session.request(LeaveRequest(), gone)
        session.pass(.seconds(5))
        session.media(.recorded(stream, true))
        session.pass(.seconds(5))
        let cy = try session.join("Cy")
        session.pass(.seconds(5))
        try session.request(LeaveRequest(), bo)
        try session.request(RenameRequest(user: cy, name: "Cyd"), ada)
        try session.request(RemoveUserRequest(user: cy), ada)
        session.media(.recorded(stream, false))
        session.pass(.seconds(5))
        try session.join("Late")
        #expect(
            try await session.lines() == [
                "0.0 recordingStarted", "0.0 present Ada", "5.0 recordingStarted", "5.0 present Ada Bo",
                "10.0 joined Cy", "15.0 left Bo", "15.0 left Cyd",
            ])
        let present = try #require(try await session.entries().dropFirst().first?.participants)
        #expect(present == [RecordingSource.Participant(id: ada.rawValue, name: "Ada", identity: "u-ada")])
    }

    @Test("A lost connection that is resumed is no leave; one whose grace time ends is")
    func lostConnections() async throws {
        let (session, _, _) = try Self.recorded()
        let bo = try session.join("Bo")
        let cy = try session.join("Cy")
        session.pass(.seconds(1))
        session.drop(bo)
        session.drop(cy)
        session.pass(.seconds(1))
        try session.resume(bo)
        session.pass(session.conference.limits.graceTime)
        try session.request(ChatRequest(text: "still here"), bo)
        let left = 12 + session.conference.limits.graceTime.seconds
        #expect(
            try await session.lines() == [
                "10.0 recordingStarted", "10.0 present Ada", "10.0 joined Bo", "10.0 joined Cy", "\(left) left Cy",
                "\(left) chat Bo",
            ])
    }

    @Test("The leave that ends the last recording is noted, and so are all leaves at the end of the session")
    func lastLeaves() async throws {
        let (session, ada, _) = try Self.recorded()
        try session.join("Bo")
        session.pass(.seconds(1))
        try session.request(LeaveRequest(), ada)
        #expect(!session.conference.isRecorded)
        #expect(try await session.lines().suffix(2) == ["10.0 joined Bo", "11.0 left Ada"])

        let (other, host, _) = try Self.recorded()
        for name in ["Bo", "Cy"] { try other.join(name) }
        try other.request(LeaveRequest(endForAll: true), host)
        #expect(try await other.lines().suffix(2) == ["10.0 joined Cy", "10.0 left Ada Bo Cy"])
    }

    @Test("A publisher that reconnects its only stream is present again, and does not join")
    func publishedAgain() async throws {
        let (session, ada, stream) = try Self.recorded()
        session.media(.unpublished(stream, .unpublished))
        session.pass(.seconds(1))
        session.media(.recorded(try session.publish(ada), true))
        #expect(
            try await session.lines() == [
                "10.0 recordingStarted", "10.0 present Ada", "11.0 recordingStarted", "11.0 present Ada",
            ])
    }

    @Test("Moves of single users have both subsessions; the end of all subsessions has one entry")
    func moves() async throws {
        let (session, ada, stream) = try Self.recorded()
        session.media(.recorded(stream, false))
        let (bo, cy) = (try session.join("Bo"), try session.join("Cy"))
        let subsessions = try session.startSubsessions(["one", "two"], by: ada)
        try session.request(JoinSubsessionRequest(subsession: subsessions[0]), bo)
        session.pass(.seconds(1))
        // The recording begins during subsessions.
        session.media(.recorded(stream, true))
        session.pass(.seconds(1))
        try session.request(JoinSubsessionRequest(subsession: subsessions[1]), bo)
        try session.request(JoinSubsessionRequest(subsession: subsessions[1]), cy)
        session.pass(.seconds(1))
        try session.request(ReturnToMainSessionRequest(), bo)
        session.pass(.seconds(1))
        try session.request(StopSubsessionsRequest(), ada)
        session.pass(.seconds(1))
        try session.request(StartSubsessionsRequest(), ada)
        try session.request(JoinSubsessionRequest(subsession: subsessions[0]), cy)
        try session.request(LeaveRequest(), cy)
        #expect(
            try await session.lines().dropFirst(2) == [
                "11.0 recordingStarted", "11.0 present Ada Bo Cy", "11.0 subsessionsStarted",
                "12.0 moved Bo from one in two", "12.0 moved Cy in two", "13.0 moved Bo from two",
                "14.0 subsessionsStopped", "15.0 subsessionsStarted", "15.0 moved Cy in one", "15.0 left Cy",
            ])
    }

    @Test("Publishers without signalling, and users that others only count, are not in the journal")
    func others() async throws {
        var limits = ConferenceLimits()
        limits.listedUsers = 4
        let (session, ada, stream) = try Self.recorded(limits: limits)
        let encoder = try session.join("encoder", kind: .publisher)
        let bo = try session.join("Bo")
        // From the fourth user on, Bo is only counted too, but the journal has the join.
        let counted = try session.join("counted")
        try session.request(LeaveRequest(), counted)
        session.media(.publisherLeft(encoder, .left))
        try session.request(LeaveRequest(), bo)
        session.media(.recorded(stream, false))
        for _ in 0..<5 { try session.join("counted") }
        session.media(.recorded(stream, true))
        #expect(session.conference.user(ada)?.role == .host)
        #expect(
            try await session.lines() == [
                "10.0 recordingStarted", "10.0 present Ada", "10.0 joined Bo", "10.0 left Bo", "10.0 recordingStarted",
                "10.0 present Ada",
            ])
    }

    @Test("Many users who are present, or leave at once, are in few entries, which all fit into the writer's queue")
    func manyUsers() async throws {
        var limits = ConferenceLimits()
        limits.listedUsers = 10_000
        limits.participants = 10_000
        let session = try JournaledSession(limits: limits)
        let ada = try session.join("Ada")
        let stream = try session.publish(ada)
        for number in 1..<3_000 { try session.join("user \(number)", identity: "u\(number)") }
        session.media(.recorded(stream, true))
        try session.request(LeaveRequest(endForAll: true), ada)
        let entries = try await session.entries()
        #expect(entries.filter { $0.event == .present }.flatMap { $0.participants ?? [] }.count == 3_000)
        #expect(entries.filter { $0.event == .left }.flatMap { $0.participants ?? [] }.count == 3_000)
        #expect(entries.count < 200, "\(entries.count)")
    }

    @Test("Chat of an encrypted session is not noted; its joins and leaves are")
    func encrypted() async throws {
        let session = try JournaledSession()
        let ada = try session.join("Ada", requiresEncryption: true)
        session.media(.recorded(try session.publish(ada, isEncrypted: true), true))
        let bo = try session.join("Bo")
        try session.request(ChatRequest(text: "secret"), bo)
        try session.request(LeaveRequest(), bo)
        #expect(
            try await session.lines() == [
                "0.0 recordingStarted", "0.0 present Ada", "0.0 joined Bo", "0.0 left Bo",
            ])
    }
}

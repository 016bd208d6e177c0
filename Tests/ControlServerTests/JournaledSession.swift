import Conference
import Foundation
import MediaBase
import MillraceTestKit
import Recording
import Signaling

@testable import ControlServer

/// The rules of one session in virtual time, and its journal, which gets their effects as `SessionCore` passes them.
final class JournaledSession {
    /// Wall clock at time zero.
    static let epoch: Int64 = 1_800_000_000_000

    private let folder = TemporaryFolder()
    private let writer: JournalWriter
    private(set) var conference: Conference
    private var journal: SessionJournal
    private var now = MediaTime.zero
    private var count = 0

    init(limits: ConferenceLimits = ConferenceLimits()) throws {
        writer = JournalWriter(directory: folder.path)
        journal = SessionJournal(session: "demo", writer: writer)
        conference = try Conference(
            id: SessionID(rawValue: "s"), app: "app", name: "demo", limits: limits, now: .zero,
            wallClock: Self.epoch)
    }

    private var wallClock: Int64 { Self.epoch + now.rawValue / 1_000_000 }

    /// Returns the time of an entry in seconds.
    static func seconds(_ entry: JournalEntry) -> Double { Double(entry.time - epoch) / 1_000 }

    func pass(_ time: MediaTime) {
        now += time
        perform(conference.handleTimeout(now: now))
    }

    func perform(_ effects: [Effect]) {
        for effect in effects { journal.note(effect, in: conference, at: wallClock) }
        journal.noteState(of: conference, at: wallClock)
    }

    @discardableResult
    func join(
        _ name: String, identity: String? = nil, kind: UserInfo.Kind = .client, requiresEncryption: Bool = false
    ) throws -> ConnectionID {
        count += 1
        let id = ConnectionID(rawValue: "c\(count)")
        let admission = Admission(
            connection: id, name: name, identity: identity, kind: kind,
            capabilities: Capabilities(canPublish: true, canForceDisconnect: true, canHost: true),
            requiresEncryption: requiresEncryption)
        perform(try conference.join(admission, now: now, wallClock: wallClock).get().effects)
        return id
    }

    func request(_ request: some RequestBody, _ sender: ConnectionID) throws {
        let reply = conference.request(request, from: sender, now: now, wallClock: wallClock)
        perform(reply.effects)
        _ = try reply.result.get()
    }

    /// Publishes a stream.
    func publish(_ sender: ConnectionID, isEncrypted: Bool = false) throws -> StreamID {
        count += 1
        let id = StreamID(rawValue: "s\(count)")
        let stream = PublishRequest.Stream(name: "camera", videoType: .camera, videoMid: "0", isEncrypted: isEncrypted)
        let plan = try conference.preparePublish([stream], from: sender, newIDs: [id]).get()
        perform(conference.confirmPublish(plan))
        media(.published(sender, id, hasAudio: false, hasVideo: true))
        return id
    }

    func media(_ event: MediaEvent) { perform(conference.media(event, now: now, wallClock: wallClock)) }

    func drop(_ id: ConnectionID) { perform(conference.drop(id, now: now)) }

    func resume(_ id: ConnectionID) throws { perform(try conference.resume(id, now: now).get()) }

    /// Begins subsessions, and returns their ids.
    func startSubsessions(_ names: [String], by host: ConnectionID) throws -> [SubsessionID] {
        try request(CommitSubsessionsRequest(names: names), host)
        try request(StartSubsessionsRequest(), host)
        return conference.subsessionList.map(\.id)
    }

    /// Returns all entries, in the order in which they were written.
    func entries() async throws -> [JournalEntry] {
        await writer.flush()
        let directory = folder.path + "/demo"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return try names.sorted().flatMap { name in
            try String(contentsOfFile: "\(directory)/\(name)", encoding: .utf8).split(separator: "\n").map {
                try JSONDecoder().decode(JournalEntry.self, from: Data($0.utf8))
            }
        }
    }

    /// Returns all entries as `seconds event names`.
    func lines() async throws -> [String] {
        try await entries().map { entry in
            let people = (entry.participants ?? []) + (entry.participant.map { [$0] } ?? [])
            let location = [entry.from.map { "from \($0)" }, entry.subsession.map { "in \($0)" }].compactMap { $0 }
            let words = ["\(Self.seconds(entry))", entry.event.rawValue] + people.map(\.name) + location
            return words.joined(separator: " ")
        }
    }
}

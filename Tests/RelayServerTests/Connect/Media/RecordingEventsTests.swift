import ControlServer
import Foundation
import MediaBase
import MillraceTestKit
import Recording
import Signaling
import Testing

@Suite("Participants are told that they are recorded", .serialized)
struct RecordingEventsTests {
    /// Returns the entries of all journals of a folder.
    private static func entries(_ folder: String) throws -> [JournalEntry] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasPrefix("journal-") }
        return try names.sorted().flatMap { name in
            try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8).split(separator: "\n").map {
                try JSONDecoder().decode(JournalEntry.self, from: Data($0.utf8))
            }
        }
    }

    @Test(
        "REC-1 a recording is announced to clients and late joiners, and its file names the participant",
        .timeLimit(.minutes(2)))
    func told() async throws {
        let folder = TemporaryFolder()
        try await withConnect { relay in
            let recorder = SessionRecorder(
                engine: relay.engine, directory: folder.path, source: relay.liveSessions.recordingSource,
                observer: relay.liveSessions.note)
            let (ben, answer) = try await relay.join("Ben")
            #expect(answer.recordedStreams.isEmpty)
            let peer = try await MediaPeer(.publish, source: 1)
            _ = peer.add()
            let token = TestToken(identity: "encoder")
            let fields = ["Authorization": "Bearer \(token.text)"]
            let published = try await relay.http.request(
                "POST", "/whip/demo?stream=cam", body: peer.offer().sdp,
                fields: RawHTTPClient.sdp.merging(fields) { $1 })
            try #require(published.status == 201, "\(published.text)")
            try peer.accept(published.text)
            _ = try await ben.next(.streamCreated)

            let stream = StreamID(rawValue: "cam")
            try await recorder.start(session: "demo", stream: "cam")
            #expect(try await ben.next(.recordingStarted) == .recordingStarted(RecordingStarted(stream: stream)))
            let (eve, late) = try await relay.join("Eve")
            #expect(late.recordedStreams == [stream])
            let source = await relay.liveSessions.recordingSource(session: "demo", stream: "cam")
            #expect(source?.participant?.identity == "encoder" && source?.streamName == "cam")
            #expect(source?.kinds.isEmpty == false && source?.muted == [])
            #expect(await relay.liveSessions.recordingSource(session: "demo", stream: "none") == nil)

            try await recorder.stop(session: "demo", stream: "cam")
            for client in [ben, eve] {
                #expect(try await client.next(.recordingStopped) == .recordingStopped(RecordingStopped(stream: stream)))
            }
            // A recording ends with its stream.
            try await recorder.start(session: "demo", stream: "cam")
            _ = try await eve.next(.recordingStarted)
            let resource = try #require(published.fields["location"])
            #expect(try await relay.http.request("DELETE", resource, fields: fields).status == 200)
            _ = try await eve.next(.recordingStopped)
            _ = try await eve.next(.streamDestroyed)
            await recorder.stopAll()
            await peer.close()
            for client in [ben, eve] { await client.cut() }
        }
    }

    @Test(
        "REC-2 chat to all is in the journal while a stream is recorded, chat to one user never is",
        .timeLimit(.minutes(2)))
    func journal() async throws {
        let folder = TemporaryFolder()
        let writer = JournalWriter(directory: folder.path)
        try await withConnect(journal: writer) { relay in
            let recorder = SessionRecorder(
                engine: relay.engine, directory: folder.path, source: relay.liveSessions.recordingSource,
                observer: relay.liveSessions.note)
            let (ada, first) = try await relay.join("Ada", token: .host)
            let (ben, second) = try await relay.join("Ben")
            let fields = ["Authorization": "Bearer \(TestToken(identity: "encoder").text)"]
            let peer = try await MediaPeer(.publish, source: 1)
            _ = peer.add()
            let published = try await relay.http.request(
                "POST", "/whip/demo?stream=cam", body: peer.offer().sdp,
                fields: RawHTTPClient.sdp.merging(fields) { $1 })
            try #require(published.status == 201, "\(published.text)")
            try peer.accept(published.text)
            // The engine has the stream from its first packet on.
            for client in [ada, ben] { _ = try await client.next(.streamCreated) }

            #expect(try await ada.ask(ChatRequest(text: "before")) == nil)
            try await recorder.start(session: "demo", stream: "cam")
            _ = try await ada.next(.recordingStarted)
            #expect(try await ada.ask(ChatRequest(text: "to all")) == nil)
            #expect(try await ada.ask(ChatRequest(text: "to Ben", to: second.connection)) == nil)
            #expect(try await ada.ask(CommitSubsessionsRequest(names: ["one"])) == nil)
            #expect(try await ada.ask(StartSubsessionsRequest()) == nil)
            let subsession = try await ben.request(SubsessionsRequest()).get().subsessions[0].id
            #expect(try await ben.ask(JoinSubsessionRequest(subsession: subsession)) == nil)
            #expect(try await ben.ask(ChatRequest(text: "in one")) == nil)
            #expect(try await ada.ask(StopSubsessionsRequest()) == nil)
            try await recorder.stop(session: "demo", stream: "cam")
            _ = try await ada.next(.recordingStopped)
            #expect(try await ada.ask(ChatRequest(text: "after")) == nil)
            await writer.flush()

            let entries = try Self.entries(folder.path + "/demo")
            #expect(
                entries.map(\.event) == [
                    .recordingStarted, .present, .chat, .subsessionsStarted, .moved, .chat, .subsessionsStopped,
                ])
            let chat = entries.filter { $0.event == .chat }
            #expect(chat.map(\.text) == ["to all", "in one"] && chat.map(\.subsession) == [nil, "one"])
            #expect(chat.map(\.participant?.name) == ["Ada", "Ben"])
            #expect(chat.map(\.participant?.id) == [first.connection.rawValue, second.connection.rawValue])
            await peer.close()
            for client in [ada, ben] { await client.cut() }
        }
    }

    @Test(
        "REC-2 joins and leaves are in the journal while a stream is recorded, a resumed connection is not",
        .timeLimit(.minutes(2)))
    func attendance() async throws {
        let folder = TemporaryFolder()
        let writer = JournalWriter(directory: folder.path)
        try await withConnect(journal: writer) { relay in
            let recorder = SessionRecorder(
                engine: relay.engine, directory: folder.path, source: relay.liveSessions.recordingSource,
                observer: relay.liveSessions.note)
            let (ada, _) = try await relay.join("Ada", token: .host)
            let fields = ["Authorization": "Bearer \(TestToken(identity: "encoder").text)"]
            let peer = try await MediaPeer(.publish, source: 1)
            _ = peer.add()
            let published = try await relay.http.request(
                "POST", "/whip/demo?stream=cam", body: peer.offer().sdp,
                fields: RawHTTPClient.sdp.merging(fields) { $1 })
            try #require(published.status == 201, "\(published.text)")
            try peer.accept(published.text)
            _ = try await ada.next(.streamCreated)
            try await recorder.start(session: "demo", stream: "cam")
            _ = try await ada.next(.recordingStarted)

            let (ben, answer) = try await relay.join("Ben", token: TestToken(identity: "u-ben"))
            await ben.cut()
            _ = try await ada.next(.userDropped)
            let again = try await relay.connect()
            _ = try await again.request(ResumeRequest(resumeToken: answer.resumeToken, lastEvent: 0)).get()
            _ = try await ada.next(.userDropped)
            #expect(try await again.ask(LeaveRequest()) == nil)
            _ = try await ada.next(.userLeft)
            try await recorder.stop(session: "demo", stream: "cam")
            _ = try await ada.next(.recordingStopped)
            let (eve, _) = try await relay.join("Eve")
            await writer.flush()

            let entries = try Self.entries(folder.path + "/demo")
            #expect(entries.map(\.event) == [.recordingStarted, .present, .joined, .left])
            #expect(entries.map { $0.participants?.map(\.name) } == [nil, ["Ada"], ["Ben"], ["Ben"]])
            let gone = entries.last?.participants?.first
            #expect(gone?.id == answer.connection.rawValue && gone?.identity == "u-ben")
            await peer.close()
            for client in [ada, eve] { await client.cut() }
        }
    }
}

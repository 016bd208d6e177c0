import ControlServer
import MillraceTestKit
import Recording
import Signaling
import Testing

@Suite("REC-2 moves between subsessions while a stream is recorded", .serialized, .timeLimit(.minutes(2)))
struct RecordedMovesTests {
    /// Waits until the recording has 10 more frames and audio packets.
    private func more(of stream: StreamID, _ recorder: SessionRecorder) async throws {
        let before = await recorder.status(session: "demo", stream: stream.rawValue)?.statistics
        let (frames, packets) = (before?.videoFrames ?? 0, before?.audioPackets ?? 0)
        try await eventually("the recording goes on") {
            guard let now = await recorder.status(session: "demo", stream: stream.rawValue)?.statistics else {
                return false
            }
            return now.videoFrames >= frames + 10 && now.audioPackets >= packets + 10
        }
    }

    @Test("A recorded participant who moves between subsessions and back stays one track per kind, without a gap")
    func moves() async throws {
        let folder = TemporaryFolder()
        let journal = JournalWriter(directory: folder.path)
        try await withConnect({ $0.connect.conference.movesPerSecond = 100 }, journal: journal) { relay in
            let recorder = SessionRecorder(
                engine: relay.engine, directory: folder.path, source: relay.liveSessions.recordingSource,
                observer: relay.liveSessions.note)
            let host = try await relay.enter("Host", token: .host)
            let ada = try await relay.enter("Ada", token: TestToken(identity: "u-ada"))
            let camera = try #require(try await ada.publish("camera").id)
            _ = try await host.socket.next(.streamCreated)
            try await recorder.start(session: "demo", stream: camera.rawValue)
            _ = try await host.socket.next(.recordingStarted)
            try await more(of: camera, recorder)

            let commit = CommitSubsessionsRequest(names: ["one", "two"])
            let subsessions = try await host.socket.request(commit).get().subsessions.map(\.id)
            #expect(try await host.socket.ask(StartSubsessionsRequest()) == nil)
            for subsession in [subsessions[0], subsessions[1], subsessions[0]] {
                #expect(try await ada.socket.ask(JoinSubsessionRequest(subsession: subsession)) == nil)
                try await more(of: camera, recorder)
            }
            #expect(try await ada.socket.ask(ReturnToMainSessionRequest()) == nil)
            try await more(of: camera, recorder)
            #expect(try await host.socket.ask(StopSubsessionsRequest()) == nil)
            try await more(of: camera, recorder)
            let status = try await recorder.stop(session: "demo", stream: camera.rawValue)
            #expect(status.phase == .ended && status.files.count == 1 && status.statistics.gaps == 0)
            await journal.flush()
            for client in [host, ada] { await client.close() }

            let report = try SessionComposer(folder: folder.path + "/demo", output: folder.path + "/demo.mkv").run()
            #expect(!report.isDamaged)
            #expect(report.tracks.map(\.name) == ["Ada (camera)", "Ada (audio)"])
            #expect(report.tracks.map(\.files) == [1, 1])
            #expect(report.tracks.map(\.participant?.identity) == ["u-ada", "u-ada"])
            // Six times ten frames and packets: before the first move, after each of four moves, and after the end of the subsessions.
            for track in report.tracks { #expect(track.frames >= 60 && track.droppedFrames == 0, "\(track)") }
            #expect(report.tracks.first?.frames == Int(status.statistics.videoFrames))
            let titles = report.chapters.map(\.title).joined(separator: ", ")
            #expect(titles.contains("Subsessions start") && titles.contains("Subsessions end"), "\(titles)")
            #expect(titles.hasPrefix("Present: Ada, Host"), "\(titles)")
            let moves = titles.split(separator: ", ").filter {
                $0.hasPrefix("Ada moves") || $0.hasPrefix("Ada returns")
            }
            #expect(moves == ["Ada moves to one", "Ada moves to two", "Ada moves to one", "Ada returns from one"])
            // Moves are neither joins nor leaves, and both were there from the beginning to the end.
            #expect(!titles.contains(" joins") && !titles.contains(" leaves"))
        }
    }
}

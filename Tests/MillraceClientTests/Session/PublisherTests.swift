import Signaling
import Testing

@testable import MillraceClient

@Suite("Publisher") struct PublisherTests {
    @Test("STR-1 a stream without a name is named after its video type") func defaultName() {
        #expect(PublisherSettings().name == "camera")
        #expect(PublisherSettings(videoType: .screen).name == "screen")
        #expect(PublisherSettings(name: "", videoType: .screen).name == "")
    }

    @Test(
        "MUT-3 media stays muted if the request to unmute does not reach the relay",
        arguments: [TrackKind.audio, .video])
    func unmuteThatFails(kind: TrackKind) async throws {
        let core = SessionCore(
            url: "ws://127.0.0.1:1", token: "t", configuration: SessionConfiguration(), board: SessionBoard())
        let thread = try #require(MediaThread(localAddress: "127.0.0.1"))
        let publisher = Publisher()
        publisher.attach(to: core, thread: thread)
        publisher.setStream(StreamID(rawValue: "s"))
        #expect(await refusal(of: publisher, kind, false) == .notConnected)
        #expect(!publisher.isAudioMuted && !publisher.isVideoMuted)
        // A mute takes effect locally even if the request to the relay fails.
        #expect(await refusal(of: publisher, kind, true) == .notConnected)
        #expect(await refusal(of: publisher, kind, false) == .notConnected)
        #expect(publisher.isAudioMuted == (kind == .audio))
        #expect(publisher.isVideoMuted == (kind == .video))
        // The publisher holds its session weakly.
        withExtendedLifetime(core) {}
    }

    private func refusal(of publisher: Publisher, _ kind: TrackKind, _ isMuted: Bool) async -> ErrorCode? {
        do throws(SessionError) {
            try await publisher.setMuted(kind, isMuted)
            return nil
        } catch {
            return error.code
        }
    }
}

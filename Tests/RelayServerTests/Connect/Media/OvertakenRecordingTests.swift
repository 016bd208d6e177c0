import Logging
import MillraceTestKit
import NIOConcurrencyHelpers
import Recording
import Testing

@testable import RelayServer

@Suite("REC-2 a stop that overtakes the start of a recording", .serialized, .timeLimit(.minutes(2)))
struct OvertakenRecordingTests {
    @Test(
        "A session whose recording is stopped while a stream's recording starts has no recording, no failure and no error in the log"
    )
    func stopped() async throws {
        let folder = TemporaryFolder()
        try await withConnect { relay in
            let box = NIOLockedValueBox<SessionRecorder?>(nil)
            let recorder = SessionRecorder(
                engine: relay.engine, directory: folder.path,
                source: { session, _ in
                    // The recorder waits for the source of the stream when the stop comes.
                    try? await box.withLockedValue { $0 }?.stopSession(session)
                    return nil
                })
            box.withLockedValue { $0 = recorder }
            defer { box.withLockedValue { $0 = nil } }
            let log = LogLines()
            let service = RecordingService(
                recorder: recorder, engine: relay.engine, recordsEverything: false,
                logger: Logger(label: "test") { _ in log })
            let running = Task { try await service.run() }
            let ada = try await relay.enter("Ada", token: .host)
            _ = try await ada.publish("camera")
            try await recorder.startSession("demo")
            try await eventually("the stream is not recorded") {
                log.messages.contains { $0.hasPrefix("info: not recorded") }
            }
            #expect(!log.messages.contains { $0.hasPrefix("error") }, "\(log.messages)")
            #expect(await recorder.failureCount == 0)
            #expect(await recorder.statuses().isEmpty)
            #expect(await !recorder.hasWork)
            running.cancel()
            try await running.value
            await ada.close()
        }
    }
}

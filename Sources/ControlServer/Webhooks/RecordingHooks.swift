import Conference
import Foundation
package import Recording

/// Converts changes of recordings to webhook events.
package struct RecordingHooks: Sendable {
    let sink: any WebhookSink
    /// The default app.
    let standard: String

    package init(sink: any WebhookSink, standard: String) {
        self.sink = sink
        self.standard = standard
    }

    @Sendable package func note(_ change: RecordingChange) {
        switch change {
        case .started(let status): post(.recordingStarted, status)
        case .finished(let status): post(.recordingFinished, status)
        case .suspended(let status): post(.recordingSuspended, status)
        case .resumed(let status): post(.recordingResumed, status)
        case .damaged: break
        }
    }

    private func post(_ kind: WebhookEvent.Kind, _ status: RecordingStatus) {
        guard let session = SessionKey(engineName: status.session, standard: standard) else { return }
        sink.post(
            WebhookEvent(
                kind, session: session, time: Int64(Date().timeIntervalSince1970 * 1_000),
                recording: .init(
                    stream: status.stream, files: status.files, bytes: status.statistics.bytes,
                    error: status.error?.description)))
    }
}

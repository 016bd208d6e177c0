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
        case .composed(let composition): post(composition)
        }
    }

    private func post(_ composition: Composition) {
        post(
            .recordingComposed, composition.session,
            .init(
                files: composition.error == nil ? [composition.output] : [], bytes: composition.bytes,
                error: composition.error))
    }

    private func post(_ kind: WebhookEvent.Kind, _ status: RecordingStatus) {
        post(
            kind, status.session,
            .init(
                stream: status.stream, files: status.files, bytes: status.statistics.bytes,
                error: status.error?.description))
    }

    private func post(_ kind: WebhookEvent.Kind, _ session: String, _ recording: WebhookEvent.Recording) {
        guard let session = SessionKey(engineName: session, standard: standard) else { return }
        sink.post(
            WebhookEvent(
                kind, session: session, time: Int64(Date().timeIntervalSince1970 * 1_000), recording: recording))
    }
}

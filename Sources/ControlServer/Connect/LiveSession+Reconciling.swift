import Conference
import Logging
import MediaEngine
import SessionMedia

/// Recovery from lost engine events: if the event queue overflows, the session reads the engine's state instead.
extension LiveSession {
    /// Pause between tries while the engine is too busy to answer.
    private static let pause = Duration.milliseconds(200)

    func reconcile() async {
        logger.notice("events of the media engine were missed")
        while !conference.isEnded {
            let inquiry = media.inquiry
            do throws(EngineError) {
                let state = try await environment.engine.state(of: inquiry.peers, session: engineName)
                for peer in state.ended { logger.info("peer lost", metadata: ["transport": "\(peer)"]) }
                media.reconcile(state, since: inquiry) { client in
                    Set(conference.subscriptions(of: client).filter(\.preferences.video).map(\.stream))
                }
                return continueMedia()
            } catch {
                guard case .limitReached = error else { return }
                try? await Task.sleep(for: Self.pause)
            }
        }
    }
}

import Conference
import Logging
import MediaEngine
import SessionMedia

/// Recovery from lost engine events: if the event queue overflows, the session reads the engine's state instead.
extension LiveSession {
    /// Pause between tries while the engine is too busy to answer.
    private static let pause = Duration.milliseconds(200)

    /// Reads the state of the session's media at all relays that have some.
    private func state(of peers: [PeerID]) async throws(EngineError) -> MediaState {
        var state = MediaState()
        for (relay, peers) in clusterMedia.split(peers) {
            do throws(EngineError) {
                guard case .state(let part) = try await ask(.state(peers), at: relay) else { continue }
                state.add(part, of: Set(peers)) { clusterMedia.origin(of: $0) == relay }
            } catch {
                // Another relay's peers are reported with its loss, if it is lost.
                if relay == .home { throw error }
                if case .limitReached = error { throw error }
            }
        }
        return state
    }

    func reconcile() async {
        logger.notice("events of the media engine were missed")
        while !conference.isEnded {
            let inquiry = media.inquiry
            do throws(EngineError) {
                let state = try await state(of: inquiry.peers)
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

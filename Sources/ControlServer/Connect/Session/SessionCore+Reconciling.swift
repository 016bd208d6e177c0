import Conference
import Logging
import MediaEngine
import SessionMedia

/// Recovery from lost engine events: if the event queue overflows, the session reads the engine's state instead.
extension SessionCore {
    /// Notes that events of the engine were missed.
    func missedEvents() {
        logger.notice("events of the media engine were missed")
        reconciling.missed(now: time.now)
        reconcileIfDue()
    }

    func reconcileIfDue() {
        guard reconciling.beginIfDue(now: time.now) else { return }
        guard !conference.isEnded else { return reconciling.ended(isBusy: false, now: time.now) }
        let inquiry = media.inquiry
        let parts = clusterMedia.split(inquiry.peers)
        var state = MediaState()
        var failure: EngineError?
        var open = parts.count
        for (relay, peers) in parts {
            ask(.state(peers), at: relay) { [self] answer in
                switch answer {
                case .success(.state(let part)):
                    state.add(part, of: Set(peers)) { clusterMedia.origin(of: $0) == relay }
                case .success: break
                // Another relay's peers are reported with its loss, if it is lost.
                case .failure(let error):
                    if relay == .home || error.isBusy { failure = error }
                    let unknown = inquiry.plainPublishers.keys.filter { self.clusterMedia.origin(of: $0) == relay }
                    state.streams += unknown.map { MediaState.Stream(id: $0, hasMedia: false) }
                }
                open -= 1
                if open == 0 { reconcile(failure.map { .failure($0) } ?? .success(state), since: inquiry) }
            }
        }
    }

    private func reconcile(_ result: Result<MediaState, EngineError>, since inquiry: MediaInquiry) {
        if case .success(let state) = result, !conference.isEnded {
            for peer in state.ended { logger.info("peer lost", metadata: ["transport": "\(peer)"]) }
            media.reconcile(state, since: inquiry) { [self] client in
                Set(conference.subscriptions(of: client).filter(\.preferences.video).map(\.stream))
            }
        }
        var isBusy = false
        if case .failure(let error) = result { isBusy = error.isBusy }
        reconciling.ended(isBusy: isBusy, now: time.now)
        continueMedia()
        reconcileIfDue()
    }
}

extension EngineError {
    fileprivate var isBusy: Bool { if case .limitReached = self { true } else { false } }
}

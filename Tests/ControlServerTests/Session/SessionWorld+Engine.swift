import Cluster
import MediaBase
import SessionTestKit
import Signaling

@testable import ControlServer
@testable import MediaEngine
@testable import SessionMedia

/// Answers of the engine and of the store, in an order that the test chooses.
extension SessionWorld {
    /// Passes an answer of the engine on.
    func deliver(_ index: Int) {
        guard engine.answers.indices.contains(index) else { return }
        let (ticket, answer) = engine.answers.remove(at: index)
        if let order = issued.removeValue(forKey: ticket), case .success(let answer) = answer {
            opened.finish(.order(order), .media(answer))
        }
        let result = answer.map { MediaCallAnswer.media($0) }.mapError { EngineError(modelled: $0) }
        turn { $0.answered(MediaCallID(rawValue: ticket.rawValue), result, by: .home) }
    }

    func deliverEvent(_ index: Int) {
        guard engine.events.indices.contains(index) else { return }
        let session = core.engineName
        let event: StreamEvent =
            switch engine.events.remove(at: index) {
            case .began(let stream, let peer):
                .mediaBegan(session: session, transport: TransportID(peer), stream: stream.rawValue, kind: .audio)
            case .closed(let stream, let peer):
                .closed(session: session, transport: TransportID(peer), stream: stream.rawValue)
            case .gone(let peer): .peerGone(session: session, transport: TransportID(peer))
            }
        turn { $0.heard(event, from: .home) }
    }

    func answerQuestion(_ index: Int, busy: Bool = false) {
        guard questions.indices.contains(index) else { return }
        let (id, call) = questions.remove(at: index)
        let result: MediaCallResult =
            switch call {
            case _ where busy: .failure(.limitReached(name: "mailbox", limit: 1))
            case .state(let peers): .success(.state(state(of: peers)))
            case .negotiated: .success(.done)
            case .statistics: .success(.statistics(PeerStatistics()))
            default: .failure(.stopped)
            }
        turn { $0.answered(id, result, by: .home) }
    }

    private func state(of peers: [PeerID]) -> MediaState {
        var state = MediaState()
        state.ended = peers.filter { peer in engine.peers[peer] == nil }
        state.streams = engine.streams.keys.sorted { $0.rawValue < $1.rawValue }.map {
            MediaState.Stream(id: $0, hasMedia: true)
        }
        return state
    }

    func finishSave(_ result: SaveResult) {
        guard !saves.isEmpty else { return }
        saves.removeFirst()
        turn { $0.saved(result) }
    }

    func keepIssue() {
        guard !issues.isEmpty else { return }
        let issue = issues.removeFirst()
        turn { $0.kept(issue, .success("i")) }
    }

    func pass(_ time: MediaTime) {
        now += time
        turn { $0.handleTimeout() }
    }

    /// Runs everything until nothing is left to do, or until a time.
    func settle(until end: MediaTime = .never) {
        for _ in 0..<20_000 {
            if !engine.mailbox.isEmpty {
                engine.run()
            } else if !engine.answers.isEmpty {
                deliver(0)
            } else if !engine.events.isEmpty {
                deliverEvent(0)
            } else if !questions.isEmpty {
                answerQuestion(0)
            } else if !saves.isEmpty {
                finishSave(.saved)
            } else if !issues.isEmpty {
                keepIssue()
            } else if core.deadline < end {
                pass(max(core.deadline - now, .zero))
            } else {
                return
            }
        }
        faults.append("the session does not come to rest")
    }
}

extension EngineError {
    /// Error of the engine that `SessionMedia` takes for this failure.
    fileprivate init(modelled failure: MediaFailure) {
        self =
            switch failure.kind {
            case .noSession: .unknownSession("")
            case .noStream: .unknownStream("")
            case .noPeer: .unknownTransport("")
            case .invalid: .invalidRequest(field: "", reason: "")
            case .busy: .limitReached(name: "mailbox", limit: 1)
            case .other: .limitReached(name: "other", limit: 1)
            }
    }
}

import Cluster
import ClusterLink
import Conference
import Logging
import MediaBase
import MediaEngine
import Signaling

/// Links of a session's home relay to the relays that the session's clients are connected to, and the questions that wait for answers of these relays.
/// Its session owns it and calls it on its own actor (`LiveSession+Relays`); `ClusterMedia` decides which relays have media.
final class MediaLinks {
    /// Caller that waits for the answer of another relay.
    private struct Question {
        let relay: RelayIdentity
        let answer: CheckedContinuation<MediaCallResult, Never>
    }

    /// Calls of the links into the session, from their own tasks.
    struct Handlers: Sendable {
        let received: @Sendable (MediaLinkReply, RelayIdentity) async -> Void
        /// Called with the reason when a link is broken.
        let lost: @Sendable (RelayIdentity, String) async -> Void
    }

    /// Time after the loss of a link in which media of the other relay's clients opens here.
    private static let avoidTime = MediaTime.seconds(30)

    private let key: SessionKey
    private let session: SessionID
    private let environment: LiveSessionEnvironment
    private let logger: Logger
    private let handlers: Handlers
    private var links: [RelayIdentity: MediaLink] = [:]
    /// Relays to which links were lost, with the times.
    private var lostEdges: [RelayIdentity: MediaTime] = [:]
    private var asked: [MediaCallID: Question] = [:]

    init(
        of key: SessionKey, _ session: SessionID, _ environment: LiveSessionEnvironment, logger: Logger,
        _ handlers: Handlers
    ) {
        self.key = key
        self.session = session
        self.environment = environment
        self.logger = logger
        self.handlers = handlers
    }

    /// Relays with a link.
    var edges: [RelayIdentity] { Array(links.keys) }

    /// Returns whether there is a link to a relay.
    func has(_ edge: RelayIdentity) -> Bool { links[edge] != nil }

    /// Returns whether media may open at a relay: it takes links, and none to it was lost lately.
    func mayUse(_ edge: RelayIdentity) -> Bool {
        guard environment.caller != nil, lostEdges[edge].map({ ControlClock.now - $0 > Self.avoidTime }) ?? true,
            let relay = environment.cluster?.relay(edge)
        else { return false }
        return relay.linkVersion >= ClusterEdge.mediaVersion
    }

    // MARK: calls

    /// Sends a call, over a new link if there is none.
    ///
    /// - Parameter mayOpen: whether a new link may be opened.
    /// - Returns: false if the call cannot be sent.
    func send(_ id: MediaCallID, _ call: MediaCall, to edge: RelayIdentity, mayOpen: Bool) -> Bool {
        guard let link = links[edge] ?? (mayOpen ? openLink(to: edge) : nil) else { return false }
        return link.send(id, call)
    }

    private func openLink(to edge: RelayIdentity) -> MediaLink? {
        guard let link = makeLink(to: edge) else { return nil }
        links[edge] = link
        logger.info("media link opened", metadata: ["relay": "\(edge)"])
        return link
    }

    private func makeLink(to edge: RelayIdentity) -> MediaLink? {
        guard let caller = environment.caller, let cluster = environment.cluster, let relay = cluster.relay(edge),
            let tenure = cluster.tenure(of: session)
        else { return nil }
        let subject = MediaLink.Subject(key: key, session: session, home: tenure.home, term: tenure.term)
        return MediaLink(subject, to: relay, by: caller) { [handlers] reply in
            await handlers.received(reply, edge)
        } lost: { [handlers] reason in
            await handlers.lost(edge, reason)
        }
    }

    // MARK: ends

    /// Ends the link to a relay in order. Questions to it fail.
    func end(_ edge: RelayIdentity) {
        links.removeValue(forKey: edge)?.close()
        for (id, question) in asked where question.relay == edge { answer(id, .failure(.stopped)) }
    }

    /// Ends a link that is broken, or whose relay does not answer, and avoids the relay for some time.
    func lose(_ edge: RelayIdentity, _ reason: String) {
        lostEdges = lostEdges.filter { ControlClock.now - $0.value <= Self.avoidTime }
        lostEdges[edge] = ControlClock.now
        environment.statistics.mediaLinkLost()
        logger.notice("media link lost", metadata: ["relay": "\(edge)", "reason": "\(reason)"])
        end(edge)
    }

    /// Ends the media that a lost relay may keep because it takes this one for dead: opens a link and closes it in order.
    func dismiss(_ edge: RelayIdentity) { makeLink(to: edge)?.close() }

    // MARK: questions

    /// Asks a relay with a link. The caller resumes with the answer, or with `stopped` when the link ends.
    ///
    /// - Returns: false if there is no link; the caller has resumed then.
    func ask(
        _ id: MediaCallID, _ call: MediaCall, of edge: RelayIdentity,
        _ caller: CheckedContinuation<MediaCallResult, Never>
    ) -> Bool {
        guard let link = links[edge], link.send(id, call) else {
            caller.resume(returning: .failure(.stopped))
            return false
        }
        asked[id] = Question(relay: edge, answer: caller)
        return true
    }

    /// Takes the answer of a relay to a question. Ignores the answer of a relay that was not asked.
    ///
    /// - Returns: false if no question has that id.
    func answered(_ id: MediaCallID, _ result: MediaCallResult, by edge: RelayIdentity) -> Bool {
        guard let question = asked[id] else { return false }
        if edge == question.relay { answer(id, result) }
        return true
    }

    /// Answers a question, if it is still open.
    func answer(_ id: MediaCallID, _ result: MediaCallResult) {
        asked.removeValue(forKey: id)?.answer.resume(returning: result)
    }
}

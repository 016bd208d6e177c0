import Cluster
import ClusterLink
import Conference
import Logging
import MediaEngine
import Signaling

/// Links of a session's home relay to the relays that the session's clients are connected to. `SessionCore` decides which there are, and its
/// session calls this object on its own actor.
final class MediaLinks {
    /// Calls of the links into the session, from their own tasks.
    struct Handlers: Sendable {
        let received: @Sendable (MediaLinkReply, RelayIdentity) async -> Void
        /// Called with the reason when a link is broken.
        let lost: @Sendable (RelayIdentity, String) async -> Void
    }

    private let key: SessionKey
    private let session: SessionID
    private let environment: LiveSessionEnvironment
    private let logger: Logger
    private let handlers: Handlers
    private var links: [RelayIdentity: MediaLink] = [:]

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

    /// Sends a call, over a new link if there is none.
    /// - Returns: false if the call cannot be sent.
    func send(_ id: MediaCallID, _ call: MediaCall, to edge: RelayIdentity) -> Bool {
        guard let link = links[edge] ?? openLink(to: edge) else { return false }
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

    /// Ends the link to a relay in order.
    func end(_ edge: RelayIdentity) { links.removeValue(forKey: edge)?.close() }

    /// Ends the media that a lost relay may keep because it takes this one for dead: opens a link and closes it in order.
    func dismiss(_ edge: RelayIdentity) { makeLink(to: edge)?.close() }
}

import Cluster
import MediaEngine
import NIOConcurrencyHelpers

/// Media that this relay has of sessions whose rules other relays run, by the sessions' names in the engine.
final class EdgeMediaTable: Sendable {
    private let links = NIOLockedValueBox<[String: EdgeMedia]>([:])

    var count: Int { links.withLockedValue { $0.count } }

    /// Admits the link of a session's home relay. It ends the link of an earlier home relay.
    /// - Returns: false if a later home relay has a link.
    func enter(_ media: EdgeMedia, session: String) -> Bool {
        let (isAdmitted, replaced) = links.withLockedValue { links -> (Bool, EdgeMedia?) in
            let present = links[session]
            if let present, !media.term.replaces(present.term) { return (false, nil) }
            links[session] = media
            return (true, present)
        }
        replaced?.end()
        return isAdmitted
    }

    func leave(_ media: EdgeMedia, session: String) {
        links.withLockedValue { links in
            if links[session] === media { links[session] = nil }
        }
    }

    /// Ends the link of a session that this relay runs itself from now on.
    func end(session: String) { links.withLockedValue { $0.removeValue(forKey: session) }?.end() }

    /// Ends the media of sessions whose home relay has lost its lease: another relay may run them now, and separate or mute clients.
    func end(home: RelayIdentity) {
        let lost = links.withLockedValue { links in links.values.filter { $0.home == home } }
        for media in lost { media.end() }
    }

    /// Passes an event of the engine to the home relay of its session.
    func post(_ event: StreamEvent) {
        let concerned = links.withLockedValue { links in
            event.session.map { links[$0].map { [$0] } ?? [] } ?? Array(links.values)
        }
        for media in concerned { media.post(event) }
    }
}

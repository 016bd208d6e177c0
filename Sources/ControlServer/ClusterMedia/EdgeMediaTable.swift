import Cluster
import MediaEngine
import NIOConcurrencyHelpers

/// Media that this relay has of sessions whose rules other relays run, by the sessions' names in the engine.
final class EdgeMediaTable: Sendable {
    private let links = NIOLockedValueBox<[String: EdgeMedia]>([:])

    var count: Int { links.withLockedValue { $0.count } }

    /// Admits the link of a session's home relay. It ends the link of an earlier home relay, and gets the media that this one has opened.
    /// - Returns: false if a later home relay has a link.
    func enter(_ media: EdgeMedia, session: String) -> Bool {
        links.withLockedValue { links in
            if let present = links[session] {
                guard media.term.replaces(present.term) else { return false }
                // Under the lock: a link that replaces this one at once has to find all that the earlier one gives.
                if let opened = present.handOver() { media.inherit(opened) }
            }
            links[session] = media
            return true
        }
    }

    func leave(_ media: EdgeMedia, session: String) {
        links.withLockedValue { links in
            if links[session] === media { links[session] = nil }
        }
    }

    /// Ends the link of a session that this relay runs itself from now on.
    func end(session: String) { links.withLockedValue { $0.removeValue(forKey: session) }?.end() }

    /// Ends the link of a session that this relay runs itself from now on, and returns the media that the previous home relay has opened.
    func handOver(session: String) -> MediaInventory? {
        links.withLockedValue { $0.removeValue(forKey: session) }?.handOver()?.inventory
    }

    /// Handles the loss of the lease of a home relay: another relay may run its sessions now, and separate or mute clients.
    ///
    /// - Parameter isKept: whether each relay that can be the next home relay asks for the media; otherwise it ends at once.
    func lost(home: RelayIdentity, isKept: Bool) {
        let lost = links.withLockedValue { links in links.values.filter { $0.home == home } }
        for media in lost { if isKept { media.leaseEnded() } else { media.end() } }
    }

    /// Passes an event of the engine to the home relay of its session.
    func post(_ event: StreamEvent) {
        let concerned = links.withLockedValue { links in
            event.session.map { links[$0].map { [$0] } ?? [] } ?? Array(links.values)
        }
        for media in concerned { media.post(event) }
    }
}

package import Conference
package import Signaling

/// Output of `ClusterMember`.
package enum ClusterEffect: Hashable, Sendable {
    /// A request to the store. Its result comes back by `ClusterMember.answered`.
    case store(StoreTicket, StoreRequest)
    case resolved(ResolveTicket, Resolution)
    /// Another relay has taken the session over: it ends here, and its clients are sent away so that they return.
    case superseded(SessionKey, SessionID)
    /// The store had lost its data and knows the session again, under another term and without its state.
    case reclaimed(SessionID)
    /// A relay has ended; connections to it are useless.
    case relayLost(RelayIdentity)
    /// Each of these relays is asked whether it reaches the store (`ClusterMember.reachesStore`); answers come back by
    /// `ClusterMember.relayAnswered`. The caller drops answers that take longer than `ClusterSettings.beatInterval`.
    case ask([RelayDescription])
    /// Whether the relay may run the rules of its sessions from now on.
    case acts(Bool)
    /// Another process has registered under this relay's id. This relay is no longer a member.
    case replaced
}

package import Signaling

/// Rules that the operator can choose.
package struct ConferencePolicy: Hashable, Sendable {
    /// Users that the host may make host or manager (USR-9).
    package var promotion = RolePromotion.any
    /// Effect of a request to unmute another user (USR-10).
    package var unmuteOthers = UnmutePolicy.request

    /// Whether live streams may be pushed to `http:` URLs, which send tokens unencrypted.
    package var allowsPushHTTP = false

    package init() {}
}

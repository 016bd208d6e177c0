package import Signaling

/// Rules that the operator can choose.
package struct ConferencePolicy: Hashable, Sendable {
    /// Users that the host may make host or manager (USR-9).
    package var promotion = RolePromotion.any
    /// Effect of a request to unmute another user (USR-10).
    package var unmuteOthers = UnmutePolicy.request

    package init() {}
}

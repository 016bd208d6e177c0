internal import Signaling

/// Names of streams: as of sessions, and they may be empty.
enum StreamName {
    static func check(_ name: String) throws(SignalingError) {
        guard !name.isEmpty, let reason = NameRule.objection(to: name) else { return }
        throw SignalingError(.invalidStreamName, reason, field: "name")
    }
}

import Signaling

/// Rule of stream names: the same as for session names, 1 to 150 characters.
enum StreamName {
    static func check(_ name: String) throws(SignalingError) {
        guard let reason = NameRule.objection(to: name) else { return }
        throw SignalingError(.invalidStreamName, reason, field: "name")
    }
}

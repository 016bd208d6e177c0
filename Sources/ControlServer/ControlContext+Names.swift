extension ControlContext {
    /// The `{session}` of the path.
    var session: SessionName {
        get throws(Problem) { try SessionName(percentEncoded: parameters.get("session") ?? "") }
    }

    /// The `{stream}` of the path.
    var stream: StreamName {
        get throws(Problem) { try StreamName(percentEncoded: parameters.get("stream") ?? "") }
    }
}

package import CCrash

/// Decisions for crash reports: a ring in memory that the signal handler reads. Names go into it as hashes, so that a report shows no name
/// that a user chose. Appending takes no lock and allocates nothing.
package enum CrashNotes {
    /// Hash of a session's or transport's name as reports show it (FNV-1a, 64 bits).
    package static func hash(_ name: String) -> UInt64 {
        var name = name
        return name.withUTF8 { millrace_crash_hash($0.baseAddress, $0.count) }
    }

    /// Appends a decision on the calling thread.
    ///
    /// - Parameters:
    ///   - kind: short name of the decision; 24 bytes of it are kept.
    ///   - session: hash of the session's name; 0: none.
    ///   - subject: hash of the transport or participant; 0: none.
    package static func note(_ kind: String, session: UInt64 = 0, subject: UInt64 = 0, value: Int64 = 0) {
        var kind = kind
        kind.withUTF8 { millrace_crash_note(session, subject, $0.baseAddress, $0.count, value) }
    }

    /// Appends an event of a worker. Pauses are excluded, because `DecisionLog` records them.
    static func note(_ event: StreamEvent) {
        switch event {
        case .published(let session, let transport, _): note("published", session, transport)
        case .closed(let session, let transport, _): note("streamClosed", session, transport)
        case .mediaBegan(let session, let transport, _, let kind):
            note("mediaBegan", session, transport, kind == .video ? 1 : 0)
        case .dimensions(let session, let transport, _, let width, let height):
            note("dimensions", session, transport, Int64(width) << 16 | Int64(height))
        case .framesReordered(let session, let transport, _): note("framesReordered", session, transport)
        case .peerGone(let session, let transport): note("peerGone", session, transport)
        case .noMediaPath(let session, let transport, _): note("noMediaPath", session, transport)
        case .activeSpeaker(let session, _, _): note("activeSpeaker", session: hash(session))
        case .unsupportedCodec(let session, let transport, _, _): note("unsupportedCodec", session, transport)
        case .supportedCodec(let session, let transport, _): note("supportedCodec", session, transport)
        case .trackPaused, .trackResumed, .pipedStreamsChanged, .mirrored, .missed: break
        }
    }

    private static func note(_ kind: String, _ session: String, _ transport: TransportID, _ value: Int64 = 0) {
        note(kind, session: hash(session), subject: hash(transport.rawValue), value: value)
    }

    /// Returns the newest decisions of the process, oldest first.
    package static func recent(_ count: Int) -> [millrace_crash_decision] {
        var decisions = [millrace_crash_decision](repeating: millrace_crash_decision(), count: max(0, count))
        let found = decisions.withUnsafeMutableBufferPointer { millrace_crash_decisions($0.baseAddress, $0.count) }
        return Array(decisions.prefix(found))
    }
}

package import MediaBase

/// What stops media, or lets it go on: it is in the worker's mailbox before the call returns, so that nothing that is ordered later can come
/// before it, and there is room for it where other calls are refused.
extension MediaEngine {
    package func beginSetMuted(session: String, stream: String, kind: MediaKind, muted: Bool) -> EngineCall {
        begin(session) { (worker) throws(EngineError) in try worker.setMuted(session, stream, kind, muted) }
    }

    package func beginCloseStream(session: String, stream: String) -> EngineCall {
        begin(session) { (worker) throws(EngineError) in try worker.closeStream(session: session, stream: stream) }
    }

    package func beginCloseWebRTC(_ id: TransportID, session: String) -> EngineCall {
        begin(session) { (worker) throws(EngineError) in try worker.closeWebRTC(id, session: session) }
    }

    package func beginClosePlain(_ id: TransportID, session: String) -> EngineCall {
        begin(session) { (worker) throws(EngineError) in try worker.closePlain(id, session: session) }
    }
}

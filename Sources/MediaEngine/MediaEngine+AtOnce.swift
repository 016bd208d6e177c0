package import MediaBase

/// Calls that stop or resume media. Each is in the worker's mailbox before it returns, so that calls made later cannot overtake it. The
/// mailbox accepts these calls when it refuses others because it is full.
extension MediaEngine {
    package func beginSetMuted(session: String, stream: String, kind: MediaKind, muted: Bool) -> EngineCall {
        begin(.home(session: session)) { (worker, quiesced) throws(EngineError) in
            try worker.setMuted(session, stream, kind, muted, quiesced)
        }
    }

    package func beginCloseStream(session: String, stream: String) -> EngineCall {
        begin(.home(session: session)) { (worker, quiesced) throws(EngineError) in
            try worker.closeStream(session: session, stream: stream, quiesced)
        }
    }

    package func beginCloseWebRTC(_ id: TransportID, session: String) -> EngineCall {
        begin(.transport(id, session: session)) { (worker, quiesced) throws(EngineError) in
            try worker.closeWebRTC(id, session: session, quiesced)
        }
    }

    package func beginClosePlain(_ id: TransportID, session: String) -> EngineCall {
        begin(.transport(id, session: session)) { (worker, quiesced) throws(EngineError) in
            try worker.closePlain(id, session: session, quiesced)
        }
    }
}

import MediaBase

/// Calls about plain transports, as in `MediaEngine`.
extension VirtualEngine {
    package func openPlain(_ request: PlainTransportRequest) throws(EngineError) -> PlainTransport {
        try run(.transport(publishes: request.direction == .publish, session: request.session)) {
            (worker, quiesced) throws(EngineError) in try worker.openPlain(request, quiesced)
        }
    }

    package func requestKeyFrame(_ id: TransportID, session: String) throws(EngineError) {
        try run(.transport(id, session: session)) { (worker, quiesced) throws(EngineError) in
            try worker.requestKeyFrame(id, session: session, quiesced)
        }
    }
}

/// Calls about pipes, as in `MediaEngine`.
extension VirtualEngine {
    package func openPipeReceiver(session: String, _ keys: PipeKeys) throws(EngineError) -> PipeEnd {
        try run(.opening(session: session)) { (worker, _) throws(EngineError) in
            try worker.openPipeReceiver(session: session, keys)
        }
    }

    package func openPipeSender(session: String, _ keys: PipeKeys, to receiver: PipeEnd) throws(EngineError) -> PipeEnd
    {
        try run(.home(session: session)) { (worker, _) throws(EngineError) in
            try worker.openPipeSender(session: session, keys, to: receiver)
        }
    }

    package func pipeDescription(session: String) throws(EngineError) -> PipeDescription {
        try run(.home(session: session)) { (worker, _) throws(EngineError) in
            try worker.pipeDescription(session: session)
        }
    }

    package func mirror(
        _ description: PipeDescription, _ id: TransportID, session: String, from sender: PipeEnd
    ) throws(EngineError) -> [PipeTrack] {
        try run(.transport(id, session: session), waitsForParts: true) { (worker, quiesced) throws(EngineError) in
            try worker.mirror(description, id, session: session, from: sender, quiesced)
        }
    }

    package func withholdMirrors(_ streams: [String], _ id: TransportID, session: String) throws(EngineError) {
        try run(.transport(id, session: session), waitsForParts: true) { (worker, quiesced) throws(EngineError) in
            try worker.withholdMirrors(streams, id, session: session, quiesced)
        }
    }

    package func sendThroughPipe(_ tracks: [PipeTrack], _ id: TransportID, session: String) throws(EngineError) {
        try run(.transport(id, session: session)) { (worker, quiesced) throws(EngineError) in
            try worker.send(tracks, id, session: session, quiesced)
        }
    }

    package func closePipe(_ id: TransportID, session: String) throws(EngineError) {
        try run(.transport(id, session: session), waitsForParts: true) { (worker, quiesced) throws(EngineError) in
            try worker.closePipe(id, session: session, quiesced)
        }
    }
}

import Conference
import MediaEngine

/// Command of `Conference`, with the engine call that carries it out.
struct MediaCall {
    let command: MediaCommand
    let call: EngineCall
}

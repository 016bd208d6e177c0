import Conference
import MediaEngine

/// One command of the rules that the engine has in its mailbox.
struct MediaCall {
    let command: MediaCommand
    let call: EngineCall
}

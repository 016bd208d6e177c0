import Transport

/// Change of a peer connection's path.
enum PathTrouble: Sendable {
    /// The relay has not answered for a while: ICE has to be restarted with the existing keys.
    case silent
    /// The peer connection and its keys have ended; a new one has to be made.
    case ended
    /// ICE or DTLS did not complete in time.
    case missing(MediaPathReport)
    /// ICE and DTLS have completed.
    case mended
}

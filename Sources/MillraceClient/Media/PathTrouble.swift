import Transport

/// A fault of a peer connection's path, or the end of one.
enum PathTrouble: Sendable {
    /// The relay has not answered for a while: another way to it is looked for, with the keys that there are.
    case silent
    /// The peer connection is over, with its keys; another one is to be made.
    case ended
    /// ICE or DTLS has not completed in time.
    case missing(MediaPathReport)
    /// ICE and DTLS have completed.
    case mended
}

import MediaEngine
import SessionMedia

/// Call about the media of one session, to the engine of one relay.
enum MediaCall: Codable, Sendable {
    case order(MediaOrder)

    // MARK: pipes; see `MediaEngine` for what each call does

    case openPipeReceiver(PipeKeys)
    case openPipeSender(PipeKeys, to: PipeEnd)
    case describe
    case mirror(PipeDescription, TransportID, from: PipeEnd)
    case withhold([String], TransportID)
    case send([PipeTrack], TransportID)
    case closePipe(TransportID)

    // MARK: state

    case state([PeerID])
    case statistics(PeerID)
    case quality(PeerID)
    case trace(PeerID)
}

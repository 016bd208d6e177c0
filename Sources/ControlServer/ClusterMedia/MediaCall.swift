import MediaEngine
import SDP
import SessionMedia

/// Call about the media of one session, to the engine of one relay.
enum MediaCall: Codable, Sendable {
    case order(MediaOrder)

    // MARK: clients without a control connection; see `MediaEngine` for what each call does

    /// Carries out `MediaOrder.openVisitor` at a relay that does not have the client's offer. That relay uses its own name of the session.
    case openWebRTC(WebRTCRequest)
    /// Does the same as `openWebRTC` for a plain transport.
    case openPlain(PlainTransportRequest)
    case requestKeyFrame(PeerID)
    case restartICE(PeerID, ICECredentials)
    case setLayer(PeerID, LayerChoice)

    // MARK: pipes; see `MediaEngine` for what each call does

    case openPipeReceiver(PipeKeys)
    case openPipeSender(PipeKeys, to: PipeEnd)
    case describe
    case mirror(PipeDescription, TransportID, from: PipeEnd)
    case withhold([String], TransportID)
    case send([PipeTrack], TransportID)
    case closePipe(TransportID)

    /// Asks for what the previous home relay of the session has opened. A link whose first call is another one ends all of that.
    case inventory

    /// Gives the relay of a subscriber the state of its negotiation, for the next home relay. Any later call about the subscriber makes it outdated.
    case negotiated(PeerID, SavedNegotiation)

    // MARK: state

    case state([PeerID])
    case webRTC(PeerID)
    /// Asks for the number of subscribers of each stream.
    case subscriberCounts
    case statistics(PeerID)
    case quality(PeerID)
    case trace(PeerID)
}

import MediaEngine
import SessionMedia

/// Answer to a `MediaCall`.
typealias MediaCallResult = Result<MediaCallAnswer, EngineError>

/// Successful answer to a `MediaCall`.
enum MediaCallAnswer: Codable, Sendable {
    case done
    case media(MediaAnswer)
    case opened(WebRTCAnswer)
    case openedPlain(PlainTransport)
    case webRTC(WebRTCSnapshot)
    case subscriberCounts([String: Int])
    case pipe(PipeEnd)
    case description(PipeDescription)
    case tracks([PipeTrack])
    case state(MediaState)
    case statistics(PeerStatistics)
    case quality(PeerQuality)
    case trace(PeerTrace)
    case inventory(MediaInventory)

    /// Transport of a client without a control connection that the call has opened.
    var opened: TransportID? {
        switch self {
        case .opened(let answer): answer.id
        case .openedPlain(let transport): transport.id
        default: nil
        }
    }
}

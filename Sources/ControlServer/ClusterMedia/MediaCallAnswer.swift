import MediaEngine
import SessionMedia

/// Answer to a `MediaCall`.
typealias MediaCallResult = Result<MediaCallAnswer, EngineError>

/// Successful answer to a `MediaCall`.
enum MediaCallAnswer: Codable, Sendable {
    case done
    case media(MediaAnswer)
    case pipe(PipeEnd)
    case description(PipeDescription)
    case tracks([PipeTrack])
    case state(MediaState)
    case statistics(PeerStatistics)
    case quality(PeerQuality)
    case trace(PeerTrace)
}

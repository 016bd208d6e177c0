import SessionMedia
import Signaling

/// Requests that wait for `SessionMedia`, with the work that follows its answer. It runs before later outputs of `SessionMedia` are carried out.
struct MediaRequests {
    typealias Done = (MediaRefusal?) -> Void
    typealias Published = (Result<PublishRequest.Answer, MediaRefusal>) -> Void

    private var lastID: UInt64 = 0
    private var done: [MediaRequestID: Done] = [:]
    private var published: [MediaRequestID: Published] = [:]

    /// Whether no request waits.
    var isEmpty: Bool { done.isEmpty && published.isEmpty }

    mutating func makeID() -> MediaRequestID {
        lastID += 1
        return MediaRequestID(rawValue: lastID)
    }

    mutating func add(_ id: MediaRequestID, _ then: @escaping Done) { done[id] = then }

    mutating func add(_ id: MediaRequestID, _ then: @escaping Published) { published[id] = then }

    mutating func takeDone(_ id: MediaRequestID) -> Done? { done.removeValue(forKey: id) }

    mutating func takePublished(_ id: MediaRequestID) -> Published? { published.removeValue(forKey: id) }
}

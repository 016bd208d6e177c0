import SessionMedia
import Signaling

/// Requests that wait for `SessionMedia`, with the work that follows its answer. Confined to its session.
struct MediaRequests {
    typealias Published = (Result<PublishRequest.Answer, MediaRefusal>) -> Void

    private var nextID: UInt64 = 0
    private var done: [MediaRequestID: (MediaRefusal?) -> Void] = [:]
    private var published: [MediaRequestID: Published] = [:]
    /// Callers that continue after the answers.
    private var waiting: [MediaRequestID: CheckedContinuation<Void, Never>] = [:]

    private mutating func makeID() -> MediaRequestID {
        nextID += 1
        return MediaRequestID(rawValue: nextID)
    }

    mutating func add(_ then: @escaping (MediaRefusal?) -> Void) -> MediaRequestID {
        let id = makeID()
        done[id] = then
        return id
    }

    mutating func add(_ then: @escaping Published) -> MediaRequestID {
        let id = makeID()
        published[id] = then
        return id
    }

    func isPending(_ id: MediaRequestID) -> Bool { done[id] != nil || published[id] != nil }

    mutating func wait(for id: MediaRequestID, _ continuation: CheckedContinuation<Void, Never>) {
        waiting[id] = continuation
    }

    mutating func takeDone(_ id: MediaRequestID) -> ((MediaRefusal?) -> Void)? { done.removeValue(forKey: id) }

    mutating func takePublished(_ id: MediaRequestID) -> Published? { published.removeValue(forKey: id) }

    mutating func resume(_ id: MediaRequestID) { waiting.removeValue(forKey: id)?.resume() }
}

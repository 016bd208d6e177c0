import Cluster
import MediaBase

/// Questions of a session to media engines that wait for their answers. Each completion is called once.
struct MediaQuestions {
    typealias Then = (MediaCallResult) -> Void

    private struct Question {
        let relay: MediaRelay
        /// Time at which the question fails; `never` for this relay's own engine, which answers each call.
        let due: MediaTime
        let then: Then
    }

    private var open: [MediaCallID: Question] = [:]

    /// Time at which the next question fails.
    var deadline: MediaTime { open.values.lazy.map(\.due).min() ?? .never }

    mutating func add(_ id: MediaCallID, to relay: MediaRelay, now: MediaTime, _ then: @escaping Then) {
        open[id] = Question(relay: relay, due: relay == .home ? .never : now + ClusterMedia.callTime, then: then)
    }

    func contains(_ id: MediaCallID) -> Bool { open[id] != nil }

    /// Returns the completion of a question; nil if that relay was not asked.
    mutating func take(_ id: MediaCallID, answeredBy relay: MediaRelay) -> Then? {
        guard open[id]?.relay == relay else { return nil }
        return open.removeValue(forKey: id)?.then
    }

    /// Returns the completions of the questions to a relay whose link has ended.
    mutating func takeAll(to relay: MediaRelay) -> [Then] { takeAll { $0.relay == relay } }

    /// Returns the completions of the questions that were not answered in time.
    mutating func takeExpired(now: MediaTime) -> [Then] { takeAll { $0.due <= now } }

    private mutating func takeAll(_ isWanted: (Question) -> Bool) -> [Then] {
        let wanted = open.filter { isWanted($0.value) }.sorted { $0.key.rawValue < $1.key.rawValue }
        for (id, _) in wanted { open[id] = nil }
        return wanted.map(\.value.then)
    }
}

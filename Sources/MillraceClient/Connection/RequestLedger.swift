import Foundation
import MediaBase
import NIOCore
import Signaling

/// The requests of one connection that are not answered yet: their numbers, what each is for, and how long the relay may take.
struct RequestLedger<Purpose> {
    private let timeout: MediaTime
    private var nextID: UInt32 = 1
    private var open: [UInt32: Purpose] = [:]
    /// In the order in which they were sent, which is that of their deadlines; the first one is open.
    private var timeouts = CircularBuffer<(id: UInt32, at: MediaTime)>()

    /// - Parameter timeout: until a request is answered, a day at most.
    init(timeout: MediaTime) { self.timeout = timeout.bounded }

    /// Requests that wait for their answers.
    var count: Int { open.count }

    /// When the oldest request counts as not answered; `.never` with none.
    var deadline: MediaTime { timeouts.first?.at ?? .never }

    /// Numbers a request and waits for its answer from now on.
    /// - Returns: the message that is to be sent.
    /// - Throws: `messageTooLarge` for one that the relay would not read; nothing waits for it.
    mutating func add(_ request: Request, _ purpose: Purpose, now: MediaTime) throws(SignalingError) -> [UInt8] {
        let id = nextID
        nextID = nextID == .max ? 1 : nextID + 1
        // Coders of our own types do not fail: no floating point, and every key is written.
        guard let message = try? JSONEncoder().encode(RequestMessage(id: id, request)) else {
            throw SignalingError(.internalError)
        }
        guard message.count <= SignalingProtocol.maximumMessageBytes else { throw SignalingError(.messageTooLarge) }
        open[id] = purpose
        timeouts.append((id, now + timeout))
        return [UInt8](message)
    }

    /// A request was answered.
    /// - Returns: what it was for; nil for an answer to nothing.
    mutating func take(_ id: UInt32) -> Purpose? {
        guard let purpose = open.removeValue(forKey: id) else { return nil }
        while let first = timeouts.first, open[first.id] == nil { timeouts.removeFirst() }
        return purpose
    }

    /// Nothing that was asked will be answered.
    /// - Returns: what it was for, in the order in which it was sent.
    mutating func removeAll() -> [Purpose] {
        let purposes = timeouts.compactMap { open[$0.id] }
        timeouts.removeAll()
        open.removeAll()
        return purposes
    }
}

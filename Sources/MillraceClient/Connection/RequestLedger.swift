import Foundation
package import MediaBase
import NIOCore
package import Signaling

/// Pending requests of one connection: their numbers, purposes and timeouts.
package struct RequestLedger<Purpose> {
    private let timeout: MediaTime
    private var nextID: UInt32 = 1
    private var open: [UInt32: Purpose] = [:]
    /// Timeouts in the order of sending, which is also that of the deadlines; the first entry belongs to a pending request.
    private var timeouts = CircularBuffer<(id: UInt32, at: MediaTime)>()

    /// - Parameter timeout: time limit for each answer, at most one day.
    package init(timeout: MediaTime) { self.timeout = timeout.bounded }

    /// Number of requests without an answer.
    var count: Int { open.count }

    /// Timeout of the oldest pending request; `.never` if there is none.
    var deadline: MediaTime { timeouts.first?.at ?? .never }

    /// Assigns a number to a request and starts its timeout.
    /// - Returns: the encoded message to send.
    /// - Throws: `messageTooLarge` if the message exceeds the relay's limit; the request is then not pending.
    package mutating func add(_ request: any RequestBody, _ purpose: Purpose, now: MediaTime) throws(SignalingError)
        -> [UInt8]
    {
        let id = nextID
        nextID = nextID == .max ? 1 : nextID + 1
        // Encoding these types cannot fail: they contain no floating-point numbers, and every key is written.
        guard let message = try? JSONEncoder().encode(RequestMessage(id: id, request)) else {
            throw SignalingError(.internalError)
        }
        guard message.count <= SignalingProtocol.maximumMessageBytes else { throw SignalingError(.messageTooLarge) }
        open[id] = purpose
        timeouts.append((id, now + timeout))
        return [UInt8](message)
    }

    /// Removes an answered request.
    /// - Returns: its purpose; nil if no such request is pending.
    package mutating func take(_ id: UInt32) -> Purpose? {
        guard let purpose = open.removeValue(forKey: id) else { return nil }
        while let first = timeouts.first, open[first.id] == nil { timeouts.removeFirst() }
        return purpose
    }

    /// Removes all requests when the connection is lost.
    /// - Returns: their purposes in the order of sending.
    package mutating func removeAll() -> [Purpose] {
        let purposes = timeouts.compactMap { open[$0.id] }
        timeouts.removeAll()
        open.removeAll()
        return purposes
    }
}

extension RequestLedger: Sendable where Purpose: Sendable {}

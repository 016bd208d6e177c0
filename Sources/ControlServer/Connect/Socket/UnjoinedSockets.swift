import NIOConcurrencyHelpers
import NIOCore

/// WebSockets that have not joined a session. They are so few, in all and from one address, that they take no places of those that have.
final class UnjoinedSockets: Sendable {
    static let key = "limit.unjoined"
    static let addressKey = "limit.unjoinedPerAddress"

    private struct State {
        /// Groups of addresses, by connection.
        var groups: [ObjectIdentifier: String] = [:]
        var counts: [String: Int] = [:]
    }

    private let limit: Int
    private let addressLimit: Int
    private let state = NIOLockedValueBox(State())

    init(limit: Int, addressLimit: Int) {
        self.limit = limit
        self.addressLimit = addressLimit
    }

    var count: Int { state.withLockedValue { $0.groups.count } }

    /// A connection asks for a WebSocket. It has its place until it joins or ends.
    func enter(_ channel: any Channel) throws(Problem) {
        let id = ObjectIdentifier(channel)
        let group = ClientAddress.group(of: channel.remoteAddress)
        let full = state.withLockedValue { state -> String? in
            if state.groups[id] != nil { return nil }
            if state.groups.count >= limit { return Self.key }
            if state.counts[group, default: 0] >= addressLimit { return Self.addressKey }
            state.groups[id] = group
            state.counts[group, default: 0] += 1
            return nil
        }
        if let full {
            throw Problem(.limitReached, "too many connections have not joined a session", limit: full, retryAfter: 5)
        }
        channel.closeFuture.whenComplete { _ in self.leave(channel) }
    }

    /// It has joined, or ended.
    func leave(_ channel: any Channel) {
        state.withLockedValue { state in
            guard let group = state.groups.removeValue(forKey: ObjectIdentifier(channel)) else { return }
            state.counts[group, default: 1] -= 1
            if state.counts[group] == 0 { state.counts[group] = nil }
        }
    }
}

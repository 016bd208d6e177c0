import NIOConcurrencyHelpers
import NIOCore

/// WebSockets that have not joined a session. Their limits, in total and per address, leave room for connections that have.
final class UnjoinedSockets: Sendable {
    static let key = "limit.unjoined"
    static let addressKey = "limit.unjoinedPerAddress"

    private struct State {
        /// Address keys, by connection.
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

    /// Counts a connection that asks for a WebSocket, until it joins or ends.
    ///
    /// - Parameter proxied: client for which another relay of the cluster asks; nil: the other end of the channel is the client.
    func enter(_ channel: any Channel, proxied: ProxiedClient? = nil) throws(Problem) {
        let id = ObjectIdentifier(channel)
        let group = proxied?.addressGroup ?? ClientAddress.group(of: channel.remoteAddress)
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

    /// Stops counting a connection that has joined or ended.
    func leave(_ channel: any Channel) {
        state.withLockedValue { state in
            guard let group = state.groups.removeValue(forKey: ObjectIdentifier(channel)) else { return }
            state.counts[group, default: 1] -= 1
            if state.counts[group] == 0 { state.counts[group] = nil }
        }
    }
}

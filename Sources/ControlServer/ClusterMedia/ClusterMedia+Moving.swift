import Conference
import MediaBase
import MediaEngine
import SessionMedia
import Signaling

/// Moves of peers between subsessions, at one relay or several.
extension ClusterMedia {
    mutating func move(
        _ ticket: MediaTicket, _ order: MediaOrder, _ locations: [PeerID: Location], now: MediaTime
    ) {
        var parts: [MediaRelay: [PeerID: Location]] = [:]
        var streams: [MediaRelay: Set<String>] = [:]
        for (id, location) in locations {
            let relay = relay(of: id)
            parts[relay, default: [:]][id] = location
            guard let published = peers.published(by: id) else { continue }
            streams[relay, default: []].formUnion(published.map(\.rawValue))
        }
        for (relay, names) in streams { pipes.beginMove(of: names, at: relay, now: now) }
        moves[makeCallID().rawValue] = ClusterMove(ticket: ticket, order: order, waiting: parts, streams: streams)
    }

    /// Sends the moves whose streams no relay forwards any longer.
    mutating func continueMoves(now: MediaTime) {
        for number in moves.keys.sorted() {
            guard let move = moves[number], move.unanswered == 0,
                !move.streams.contains(where: { pipes.isForwarding($0.value, from: $0.key) })
            else { continue }
            moves[number]?.waiting = [:]
            moves[number]?.unanswered = move.waiting.count
            guard !move.waiting.isEmpty else {
                moved(number, now: now)
                continue
            }
            for (relay, locations) in move.waiting {
                call(relay, .order(.relocate(locations)), .move(number), now: now)
            }
        }
    }

    mutating func moved(
        _ number: UInt64, _ result: MediaCallResult, now: MediaTime
    ) {
        moves[number]?.unanswered -= 1
        if case .failure(let error) = result, moves[number]?.failure == nil { moves[number]?.failure = error }
        if moves[number]?.unanswered == 0 { moved(number, now: now) }
    }

    /// Ends a move that all relays have answered.
    mutating func moved(_ number: UInt64, now: MediaTime) {
        guard let move = moves.removeValue(forKey: number) else { return }
        let result = move.failure.map { Result<MediaAnswer, EngineError>.failure($0) } ?? .success(.done)
        var versions: [UInt64: UInt64] = [:]
        for relay in move.streams.keys { versions.merge(pipes.endMove(at: relay, now: now)) { $1 } }
        fences.append(Fence(ticket: move.ticket, order: move.order, result: result, versions: versions))
    }
}

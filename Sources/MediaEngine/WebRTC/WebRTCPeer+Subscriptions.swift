import MediaBase
import SDP

/// Subscriptions of a subscriber, before and after it has connected.
extension WebRTCPeer {
    /// Streams of which the subscriber has or will have tracks.
    var subscribedStreams: Set<String> { Set(waiting.map(\.stream) + (outbound?.tracks.map(\.streamName) ?? [])) }

    /// Sets the tracks of a subscriber of one stream, which has made the offer.
    func expect(_ sections: [TrackDescription], of stream: EngineStream, _ ssrcs: SSRCSequence) {
        var ssrcs = ssrcs
        waiting = sections.map { section in
            let section = section.limited(to: stream.codec)
            return SubscriberTrack(
                stream: stream.name, track: section, ssrc: ssrcs.next(),
                rtxSSRC: section.retransmits ? ssrcs.next() : nil)
        }
    }

    /// Takes over what was requested while the participant had not answered.
    func take(_ offered: AwaitedSubscriber) {
        preferences = offered.preferences
        subsession = offered.subsession
    }

    /// Adds tracks to those of a subscriber. They wait until it has connected.
    /// - Parameter limit: tracks that it may have.
    func addTracks(
        _ tracks: [SubscriberTrack], limit: Int, _ numbers: inout IdentifierSource, now: MediaTime,
        _ counters: inout EngineCounters, _ quiesced: borrowing Quiesced
    ) throws(EngineError) {
        try check(tracks, limit: limit, &counters)
        guard let outbound else {
            waiting += tracks
            return
        }
        outbound.session.addTracks(tracks, of: self, to: outbound, &numbers, now: now, quiesced)
    }

    /// Removes tracks. Unknown sections are ignored.
    func removeTracks(_ mids: Set<MID>, _ quiesced: borrowing Quiesced) {
        waiting.removeAll { mids.contains($0.track.mid) }
        guard let outbound else { return }
        for stream in outbound.session.removeTracks(mids, of: outbound, quiesced) { preferences[stream] = nil }
    }

    /// Sets a subscriber's preferences for a stream.
    /// - Returns: whether tracks that are sent have other preferences now.
    func setPreferences(
        _ wanted: StreamPreferences, ofStream stream: String, _ counters: inout EngineCounters,
        _ quiesced: borrowing Quiesced
    ) throws(EngineError) -> Bool {
        try preferences.set(wanted, ofStream: stream, used: subscribedStreams, &counters)
        guard let outbound else { return false }
        return outbound.session.setPreferences(wanted, ofStream: stream, for: outbound, quiesced)
    }

    /// Checks that tracks can be added to those of a subscriber.
    /// - Parameter limit: tracks that it may have.
    private func check(_ tracks: [SubscriberTrack], limit: Int, _ counters: inout EngineCounters) throws(EngineError) {
        var mids = Set(waiting.map(\.track.mid))
        var names = Set(waiting.map { TrackName(stream: $0.stream, kind: $0.track.kind) })
        var ssrcs = Set(waiting.flatMap { [$0.ssrc, $0.rtxSSRC].compactMap(\.self) })
        for track in outbound?.tracks ?? [] {
            if let mid = track.mid { mids.insert(mid) }
            names.insert(TrackName(stream: track.streamName, kind: track.kind))
            ssrcs.insert(track.ssrc)
            if let rtx = track.rtxSSRC { ssrcs.insert(rtx) }
        }
        guard mids.count + tracks.count <= limit else {
            counters.refusedLimit &+= 1
            throw .limitReached(name: "tracksPerSubscriber", limit: limit)
        }
        for track in tracks {
            guard mids.insert(track.track.mid).inserted else {
                throw .invalidRequest(field: "mid", reason: "media section \"\(track.track.mid)\" is in use")
            }
            // A path carries each track of a stream only once.
            guard names.insert(TrackName(stream: track.stream, kind: track.track.kind)).inserted else {
                throw .invalidRequest(field: "stream", reason: "\"\(track.stream)\" is already sent on this connection")
            }
            // Two streams under one SSRC and key would share a keystream.
            for ssrc in [track.ssrc, track.rtxSSRC].compactMap(\.self) where !ssrcs.insert(ssrc).inserted {
                throw .ssrcInUse(ssrc.rawValue)
            }
        }
    }

    private struct TrackName: Hashable {
        let stream: String
        let kind: MediaKind
    }
}

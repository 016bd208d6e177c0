import MediaBase
import SDP

/// Streams of a session whose publishers have been answered but have not connected yet, with the kinds that start muted.
struct ReservedStreams {
    private var mutedKinds: [String: Set<MediaKind>] = [:]

    var isEmpty: Bool { mutedKinds.isEmpty }
    var count: Int { mutedKinds.count }

    /// Returns the kinds of a stream that start muted; nil if the stream is not reserved.
    subscript(name: String) -> Set<MediaKind>? { mutedKinds[name] }

    /// Reserves the streams of a publisher. Kinds that were reserved before keep their current mute state.
    /// - Parameter before: sections for which its streams were reserved before.
    mutating func reserve(_ sections: [PublishedSection], instead before: [PublishedSection]) {
        let streams = Set(sections.map(\.stream))
        for section in before where !streams.contains(section.stream) { mutedKinds[section.stream] = nil }
        for stream in streams {
            let known = Set(before.filter { $0.stream == stream }.map(\.track.kind))
            let kept = (mutedKinds[stream] ?? []).intersection(known)
            let kinds = Set(sections.filter { $0.stream == stream }.map(\.track.kind))
            mutedKinds[stream] = kept.intersection(kinds).union(
                sections.mutedKinds(of: stream).subtracting(known))
        }
    }

    /// Makes one kind of a stream start muted or unmuted.
    /// - Returns: false if the stream is not reserved.
    mutating func setMuted(_ isMuted: Bool, _ kind: MediaKind, ofStream name: String) -> Bool {
        guard let kinds = mutedKinds[name] else { return false }
        mutedKinds[name] = isMuted ? kinds.union([kind]) : kinds.subtracting([kind])
        return true
    }

    /// Ends the reservations of a publisher that has connected.
    /// - Returns: its sections with their current mute states.
    mutating func take(_ sections: [PublishedSection]) -> [PublishedSection] {
        let current = sections.map { section in
            var section = section
            section.startsMuted = mutedKinds[section.stream]?.contains(section.track.kind) ?? section.startsMuted
            return section
        }
        for section in sections { mutedKinds[section.stream] = nil }
        return current
    }
}

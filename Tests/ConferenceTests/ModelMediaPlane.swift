import Conference
import Signaling

/// Model of a media plane: the state that follows from the commands given to it.
struct ModelMediaPlane {
    struct Leg: Hashable {
        let connection: ConnectionID
        let stream: StreamID
    }

    struct Kind: Hashable {
        let stream: StreamID
        let kind: TrackKind
    }

    var streams: Set<StreamID> = []
    var muted: Set<Kind> = []
    var legs: [Leg: SubscriptionPreferences] = [:]
    /// Locations of participants outside of the main session.
    var locations: [ConnectionID: Location] = [:]
    var faults: [String] = []

    mutating func negotiate(_ plan: PublishPlan) {
        for stream in plan.streams {
            streams.insert(stream.id)
            set(stream.id, .audio, stream.startsAudioMuted)
            set(stream.id, .video, stream.startsVideoMuted)
        }
    }

    mutating func apply(_ command: MediaCommand) {
        switch command {
        case .setMuted(let stream, let kind, let isMuted):
            if streams.contains(stream) { set(stream, kind, isMuted) }
        case .unpublish(let stream):
            streams.remove(stream)
            muted = muted.filter { $0.stream != stream }
        case .subscribe(let connection, let stream, let preferences):
            let leg = Leg(connection: connection, stream: stream)
            if !streams.contains(stream) { faults.append("subscribed to \(stream), which is not there") }
            if legs[leg] != nil { faults.append("subscribed twice: \(leg)") }
            legs[leg] = preferences
        case .updateSubscription(let connection, let stream, let preferences):
            let leg = Leg(connection: connection, stream: stream)
            if legs[leg] == nil { faults.append("updated what is not subscribed: \(leg)") }
            legs[leg] = preferences
        case .unsubscribe(let connection, let stream):
            let leg = Leg(connection: connection, stream: stream)
            if legs.removeValue(forKey: leg) == nil { faults.append("unsubscribed twice: \(leg)") }
        case .relocate(let connections, let location):
            for connection in connections { locations[connection] = location == .mainSession ? nil : location }
        case .closeMedia(let connection):
            legs = legs.filter { $0.key.connection != connection }
            locations[connection] = nil
        }
    }

    private mutating func set(_ stream: StreamID, _ kind: TrackKind, _ isMuted: Bool) {
        let kind = Kind(stream: stream, kind: kind)
        if isMuted { muted.insert(kind) } else { muted.remove(kind) }
    }
}

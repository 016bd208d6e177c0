import Forwarding
import MediaBase
import SRTP

/// SRTP output of a subscriber: one set of keys (`leg`), and a path for each address.
final class SubscribeTransport {
    /// Recent decisions for this subscriber, for reports.
    var decisions: DecisionLog
    let id: TransportID
    let rtcpMux: Bool
    let leg: UnsafeMutablePointer<EgressLeg>
    /// WebRTC peer of the subscriber; nil for a plain subscriber.
    unowned(unsafe) let peer: WebRTCPeer?
    /// Subsession whose streams the subscriber receives. Plain subscribers belong to the main part.
    var room: String { peer?.room ?? EngineRoom.main }
    /// Paths of its tracks.
    let paths: Set<Int>
    /// Destinations of the kinds of tracks that a plain subscriber requested.
    let targets: [SubscriptionTarget]
    /// Whether tracks of streams that are published later are added.
    let wantsAllStreams: Bool
    /// Plain subscribers: times at which the video is started again.
    var starts: StartSchedule
    /// Paused kinds, for tracks that are attached later.
    var paused: Set<MediaKind> = []
    /// Tracks. A track remains when its stream ends, and attaches again when a stream of that name is published.
    private(set) var tracks: [SubscribedTrack] = []
    private var nextTrack = 0
    /// Track numbers by outgoing SSRC. Subscribers of many tracks report on each in a separate packet, so that the lookup must be fast.
    private var numbers = SSRCTable()

    /// Creates a plain subscriber.
    init(
        id: TransportID, rtcpMux: Bool, leg: UnsafeMutablePointer<EgressLeg>,
        targets: [SubscriptionTarget], wantsAllStreams: Bool, openedAt: MediaTime = .zero
    ) {
        self.id = id
        decisions = DecisionLog(transport: id.rawValue)
        self.targets = targets
        self.wantsAllStreams = wantsAllStreams
        starts = StartSchedule(openedAt: openedAt)
        self.rtcpMux = rtcpMux
        self.leg = leg
        peer = nil
        paths = Set(targets.map(\.path))
        CrashNotes.note("subscriberOpened", subject: CrashNotes.hash(id.rawValue))
    }

    /// Creates a WebRTC subscriber, all of whose tracks use one path.
    init(id: TransportID, leg: UnsafeMutablePointer<EgressLeg>, peer: WebRTCPeer, path: Int) {
        self.id = id
        decisions = DecisionLog(session: peer.session, transport: id.rawValue)
        self.leg = leg
        self.peer = peer
        paths = [path]
        targets = []
        wantsAllStreams = false
        starts = StartSchedule(openedAt: .zero)
        starts.end()
        rtcpMux = true
        CrashNotes.note(
            "subscriberOpened", session: CrashNotes.hash(peer.session), subject: CrashNotes.hash(id.rawValue))
    }

    func add(_ track: SubscribedTrack) {
        track.id = nextTrack
        nextTrack += 1
        tracks.append(track)
        _ = numbers.insert(track.ssrc, track.id)
    }

    func remove(_ track: SubscribedTrack) {
        tracks.removeAll { $0 === track }
        if numbers.find(track.ssrc) == track.id { numbers.remove(track.ssrc) }
    }

    /// Returns the track with this outgoing SSRC.
    func track(of ssrc: SSRC) -> SubscribedTrack? { numbers.find(ssrc).flatMap { track($0) } }

    /// Returns the track with this number, by binary search: tracks are sorted by number.
    func track(_ id: Int) -> SubscribedTrack? {
        var low = 0
        var high = tracks.count
        while low < high {
            let middle = (low + high) / 2
            if tracks[middle].id < id { low = middle + 1 } else { high = middle }
        }
        return low < tracks.count && tracks[low].id == id ? tracks[low] : nil
    }
}

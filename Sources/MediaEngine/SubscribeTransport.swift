import Forwarding
import MediaBase
import SRTP

/// A subscriber's SRTP out: one leg of keys and a path for each address.
final class SubscribeTransport {
    /// What was decided for it lately, for reports.
    var decisions: DecisionLog
    let id: TransportID
    let rtcpMux: Bool
    let leg: UnsafeMutablePointer<EgressLeg>
    /// What leads to a WebRTC subscriber; nil for a plain one.
    unowned(unsafe) let peer: WebRTCPeer?
    /// It gets what is published there. Plain ones are in the main room.
    var room: String { peer?.room ?? EngineRoom.main }
    /// Every path that its tracks go by.
    let paths: Set<Int>
    /// Where each kind of track goes that a plain subscriber wants.
    let targets: [SubscriptionTarget]
    /// Tracks of streams that are published later are added.
    let wantsAllStreams: Bool
    /// Plain subscribers: when the video is started again.
    var starts: StartSchedule
    /// Kinds that were paused, for tracks that are attached later.
    var paused: Set<MediaKind> = []
    /// A track stays when its stream ends: it attaches again when a stream of that name is published.
    private(set) var tracks: [SubscribedTrack] = []
    private var nextTrack = 0
    /// Numbers of the tracks by the SSRCs that they go out under: viewers of many tracks report on each of them in a packet of its own.
    private var numbers = SSRCTable()

    /// A plain subscriber.
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

    /// A WebRTC subscriber: everything goes by one path.
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

    /// The track that goes out under an SSRC.
    func track(of ssrc: SSRC) -> SubscribedTrack? { numbers.find(ssrc).flatMap { track($0) } }

    /// Tracks stand in the order of their numbers.
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

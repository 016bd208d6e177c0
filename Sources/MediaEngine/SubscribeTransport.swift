import Forwarding
import MediaBase
import RTP
import SDP
import SRTP
import Transport

/// Media sent to a subscriber: its tracks, one set of keys (`egressContext`), and a path for each address. A connected peer has a single path,
/// whose capacity is measured, and so has a pipe. Plain subscribers send no feedback about their paths.
final class SubscribeTransport {
    let id: TransportID
    let session: EngineSession
    /// Recent decisions for this subscriber, for reports.
    var decisions: DecisionLog
    /// Whether its addresses and keys were fixed by a request, without ICE and DTLS.
    let isPlain: Bool
    /// Whether it is the sending end of a pipe to another relay, which gets the streams of all subsessions. A pipe is plain, too.
    let isPipe: Bool
    let rtcpMux: Bool
    let egressContext: UnsafeMutablePointer<EgressContext>
    /// Subsession whose streams the subscriber receives. Plain subscribers belong to the main part.
    var subsession: String
    /// Paths of its tracks.
    let paths: Set<Int>
    /// Destinations of the kinds of tracks that a plain subscriber requested.
    let targets: [SubscriptionTarget]
    /// Whether tracks of streams that are published later are added.
    let wantsAllStreams: Bool
    /// Pipes: SSRCs that were used. Another stream under the same SSRC and key would repeat the keystream.
    private var usedSSRCs: Set<SSRC> = []
    /// Plain subscribers: times at which the video is started again.
    var starts: StartSchedule
    /// Paused kinds, for tracks that are attached later.
    var paused: Set<MediaKind> = []
    /// Tracks. A track remains when its stream ends, and attaches again when a stream of that name is published.
    private(set) var tracks: [SubscribedTrack] = []
    private var nextTrack = 0
    /// Track numbers by outgoing SSRC. Subscribers of many tracks report on each in a separate packet, so that the lookup must be fast.
    private var numbers = SSRCTable()

    /// Peers and pipes: index of the one path in the session's router; -1 for a plain subscriber.
    let path: Int
    /// Sent packets with transport-wide sequence numbers; nil if the peer sends no transport-wide feedback.
    private(set) var sent: UnsafeMutablePointer<SentPacketRing>?
    /// Bandwidth estimator; nil if the peer sends no feedback to estimate from. Such a peer gets everything that it requests.
    private(set) var estimator: BandwidthEstimator?
    private var estimate: BandwidthEstimator.Configuration
    /// Round-trip time by the peer's latest report; nil before the first.
    var roundTrip: MediaTime?
    /// Quality of the connection over the last minutes; empty for a plain subscriber.
    var quality: QualityTimeline
    var allocator = LayerAllocator()
    private(set) var nextAllocation: MediaTime = .zero
    /// Whether the last allocation left each video track at the encoding that it should have, without limit. Another allocation would
    /// give the same result until something changes.
    private(set) var isLevel = false
    /// Whether no video arrives for the path, so that allocations would change nothing until its first packets.
    private var isIdle = false
    /// Time at which media began to go to the current address, or the first video was added.
    private(set) var startedAt: MediaTime
    /// Time until which a limit that the path has shown applies. The period is 3 s and doubles, up
    /// to 30 s, each time that the path shows a limit again.
    private var limitedUntil: MediaTime = .zero
    private var limitedFor = SubscribeTransport.shortestLimit
    private static let shortestLimit = MediaTime.seconds(3)
    private static let longestLimit = MediaTime.seconds(30)
    /// Bit rate of all tracks at the last allocation.
    var used = Bitrate(rawValue: 0)
    /// Time since which the path has been congested by the lowest bit rate that can be sent.
    private var overloadedSince: MediaTime?
    private var isOverloaded = false
    /// Time since which the estimate has been far below the lowest bit rate.
    private var scarceSince: MediaTime?
    private static let scarcityPatience = MediaTime.seconds(1)
    /// Same as `scarcityPatience` for an estimate by REMB and receiver reports, which describe about the last second.
    private static let reportedScarcityPatience = MediaTime.milliseconds(500)
    /// Maximum time to drain the path's queue of packets that were sent before.
    private static let overloadPatience = MediaTime.seconds(4)
    /// Fraction of the lowest bit rate below which a path is too narrow for video. It is less than 1 because the estimate is cautious.
    private static let nearly = 0.6
    /// Same as `nearly` for an estimate by REMB, which is at most 15 % below the received rate.
    private static let nearlyByReports = 0.8
    /// Lowest pacing rate of video while the path has shown no limit, so that pacing spreads bursts and does not delay frames. The cached
    /// frames for a new subscriber are also sent at this rate.
    static let leastPace = Bitrate.kilobits(10_000)
    var probe: ProbePacer?
    /// Pipes whose receiving end sends feedback: the encodings that are withheld.
    var limit: PipeLimit?
    private(set) var isOpen = true
    /// Whether the path carries video. Audio alone needs no layers and no pacing.
    private(set) var hasVideo = false
    private static let allocationInterval = MediaTime.milliseconds(100)
    private static let levelInterval = MediaTime.seconds(1)
    private static let idleInterval = MediaTime.seconds(5)
    /// Granularity of deadlines. Timers of all peers run together, because each wake-up costs more than its work.
    private static let beat = MediaTime.milliseconds(50)
    /// Granularity of deadlines while nothing is sent.
    private static let idleBeat = MediaTime.seconds(1)

    /// Creates a plain subscriber, or the sending end of a pipe.
    init(
        id: TransportID, session: EngineSession, rtcpMux: Bool, egressContext: UnsafeMutablePointer<EgressContext>,
        targets: [SubscriptionTarget], wantsAllStreams: Bool, isPipe: Bool = false, openedAt: MediaTime = .zero
    ) {
        self.id = id
        self.session = session
        decisions = DecisionLog(transport: id.rawValue)
        isPlain = true
        self.isPipe = isPipe
        self.rtcpMux = rtcpMux
        self.egressContext = egressContext
        subsession = EngineSubsession.main
        paths = Set(targets.map(\.path))
        self.targets = targets
        self.wantsAllStreams = wantsAllStreams
        starts = StartSchedule(openedAt: openedAt)
        path = isPipe ? targets.first?.path ?? -1 : -1
        quality = QualityTimeline(limit: 0, start: openedAt)
        startedAt = openedAt
        estimate = BandwidthEstimator.Configuration()
        CrashNotes.note("subscriberOpened", subject: CrashNotes.hash(id.rawValue))
    }

    /// Creates the subscriber of a connected peer, all of whose tracks use one path.
    /// - Parameter subsession: subsession of the peer.
    init(
        id: TransportID, session: EngineSession, subsession: String, egressContext: UnsafeMutablePointer<EgressContext>,
        path: Int,
        at address: PeerAddress, estimate: BandwidthEstimator.Configuration, now: MediaTime
    ) {
        self.id = id
        self.session = session
        decisions = DecisionLog(session: session.name, transport: id.rawValue)
        isPlain = false
        isPipe = false
        rtcpMux = true
        self.egressContext = egressContext
        self.subsession = subsession
        paths = [path]
        targets = []
        wantsAllStreams = false
        starts = StartSchedule(openedAt: .zero)
        starts.end()
        self.path = path
        quality = QualityTimeline(limit: session.limits.qualityPoints, start: now)
        startedAt = now
        self.estimate = estimate
        self.estimate.hasTransportFeedback = false
        CrashNotes.note(
            "subscriberOpened", session: CrashNotes.hash(session.name), subject: CrashNotes.hash(id.rawValue))
        reach(address)
    }

    // MARK: tracks

    /// Returns whether the pipe has not used any of these SSRCs, and marks them as used.
    func takeUnused(_ ssrcs: [SSRC]) -> Bool {
        guard usedSSRCs.isDisjoint(with: ssrcs), Set(ssrcs).count == ssrcs.count,
            usedSSRCs.count + ssrcs.count <= PipeFormat.maximumSSRCs
        else { return false }
        usedSSRCs.formUnion(ssrcs)
        return true
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

    // MARK: capacity of the path

    /// Adds a track to the path. Feedback that the peer supports in one section applies to all tracks of the path.
    func admit(_ section: TrackDescription, now: MediaTime) {
        let wasPaced = isPaced
        if section.kind == .video {
            if !hasVideo { startedAt = now }
            hasVideo = true
            allocateSoon()
        }
        if sent == nil, section.feedback.contains(.transportCC), section.extensions[.transportWideCC] != nil {
            record(SentPacketRing())
            estimate.hasTransportFeedback = true
            estimator = BandwidthEstimator(estimate, now: now)
        } else if estimator == nil, section.feedback.contains(.remb) {
            estimator = BandwidthEstimator(estimate, now: now)
        }
        // Until the path is measured, the cached frames since the last key frame would overflow it in one burst.
        if isPaced, !wasPaced { session.router.path(path).pointee.pacing.setRate(Self.leastPace, now: now) }
    }

    /// Measures the path of a pipe whose receiving end sends feedback. Its capacity counts as sufficient until it shows a limit.
    func measurePipe(now: MediaTime) {
        guard isPipe, path >= 0, sent == nil else { return }
        record(SentPacketRing(maximum: SentPacketRing.maximumPipeCapacity))
        estimate = PipeLimit.estimate
        estimator = BandwidthEstimator(estimate, now: now)
        limit = PipeLimit()
    }

    private func record(_ packets: SentPacketRing) {
        let ring = UnsafeMutablePointer<SentPacketRing>.allocate(capacity: 1)
        ring.initialize(to: packets)
        sent = ring
        session.router.path(path).pointee.sent = ring
    }

    private var isPaced: Bool { hasVideo && estimator != nil }

    /// Time at which `Worker.adapt` is due next.
    var deadline: MediaTime {
        let due = min(estimator?.deadline ?? .never, hasVideo ? nextAllocation : .never)
        guard due != .never else { return .never }
        let isAtRest = estimator?.isResting ?? true && (isIdle || !hasVideo)
        let beat = isAtRest ? Self.idleBeat : Self.beat
        return Self.onBeat(due + beat - .nanoseconds(1), beat)
    }

    /// Records the result of an allocation and schedules the next one.
    /// - Parameter isIdle: no video arrives for the path.
    func note(_ allocation: LayerAllocation, isLimited: Bool, isIdle: Bool, now: MediaTime) {
        self.isIdle = isIdle
        isLevel =
            isIdle
            || !isLimited && allocation.next == nil
                && allocation.decisions.allSatisfy { $0.change == .none && $0.selection != nil }
                && tracks.allSatisfy { track in
                    track.kind != .video || track.producer == nil || track.isUnwanted
                        || track.wanted === track.producer && !waitsForKeyFrame(track)
                            && !track.isPausedByBandwidth && !paused.contains(.video)
                }
        let interval = isIdle ? Self.idleInterval : isLevel ? Self.levelInterval : Self.allocationInterval
        nextAllocation = Self.onBeat(now + interval, Self.beat)
    }

    /// Returns whether a track waits for a key frame, which may have to be requested again.
    private func waitsForKeyFrame(_ track: SubscribedTrack) -> Bool {
        track.producer.map {
            session.router.waitsForKeyFrame(path: track.path, producer: $0)
                || session.router.waitsForSpatialLayer(path: track.path, producer: $0)
        } ?? false
    }

    /// Makes the next allocation due at once, because its input has changed.
    func allocateSoon() {
        isLevel = false
        isIdle = false
        nextAllocation = .zero
    }

    private static func onBeat(_ time: MediaTime, _ beat: MediaTime) -> MediaTime {
        MediaTime(rawValue: time.rawValue / beat.rawValue * beat.rawValue)
    }

    /// Returns whether the path has shown a limit recently.
    func isLimited(now: MediaTime) -> Bool {
        // Without transport-wide feedback, only a higher estimate shows that a limit is over.
        if let estimator, estimator.isCongested || estimator.isHeld {
            if now >= limitedUntil, limitedUntil > .zero {
                limitedFor = min(limitedFor + limitedFor, Self.longestLimit)
            }
            limitedUntil = now + limitedFor
        }
        return now < limitedUntil
    }

    /// Returns whether the path is too narrow even for the lowest bit rate with video: sending it has congested the path,
    /// or the estimate is clearly below it for long enough.
    func isTooNarrow(for least: Bitrate, now: MediaTime) -> Bool {
        guard let estimator, isLimited(now: now) else {
            forgetOverload()
            return false
        }
        if !estimator.isFull || used.rawValue > least.rawValue * 9 / 8 {
            overloadedSince = nil
        } else if now - (overloadedSince ?? now) > Self.overloadPatience {
            isOverloaded = true
        } else {
            overloadedSince = overloadedSince ?? now
        }
        let nearly = estimator.isAcknowledged ? Self.nearly : Self.nearlyByReports
        if Double(estimator.capacity.rawValue) >= nearly * Double(least.rawValue) {
            scarceSince = nil
        } else {
            scarceSince = scarceSince ?? now
        }
        let patience = estimator.isAcknowledged ? Self.scarcityPatience : Self.reportedScarcityPatience
        return isOverloaded || scarceSince.map { now - $0 > patience } ?? false
    }

    private func forgetOverload() {
        overloadedSince = nil
        scarceSince = nil
        isOverloaded = false
    }

    /// Whether probes can be sent: padding goes out on the retransmission stream of a video track that has a producer.
    var canProbe: Bool {
        (hasVideo || isPipe) && tracks.contains { $0.kind == .video && $0.rtx != nil && $0.producer != nil }
    }

    /// Frees the manually allocated memory. The path must be closed before.
    func deallocate() {
        isOpen = false
        sent?.pointee.deallocate()
        sent?.deallocate()
    }

    /// Moves the path to another address. Measurements of the old address and losses during the move
    /// do not apply to the new one and are discarded.
    func move(to address: PeerAddress, now: MediaTime) {
        reach(address)
        startedAt = now
        limitedUntil = .zero
        limitedFor = Self.shortestLimit
        forgetOverload()
        allocateSoon()
        sent?.pointee.forgetFeedback()
        if estimator != nil { estimator = BandwidthEstimator(estimate, now: now) }
    }

    private func reach(_ address: PeerAddress) {
        let target = session.router.path(path)
        target.pointee.address = address.address
        target.pointee.lane = address.isTCP ? .tcp : .webRTC
        target.pointee.connection = address.connection
        target.pointee.local = address.local
    }
}

import Forwarding
import MediaBase
import RTP
import SDP
import Transport

/// What a connected peer gets, and how much of it its path can carry.
final class PeerOutbound {
    let transport: SubscribeTransport
    let session: EngineSession
    /// Index of its path in the session's router.
    let path: Int
    /// Packets that carry transport-wide numbers; nil where the peer tells of none.
    private(set) var sent: UnsafeMutablePointer<SentPacketRing>?
    /// Nil where the peer says nothing that an estimate could be made of: it gets what it asks for.
    private(set) var estimator: BandwidthEstimator?
    private var estimate: BandwidthEstimator.Configuration
    /// As the peer's latest report tells; nil before.
    var roundTrip: MediaTime?
    var allocator = LayerAllocator()
    private(set) var nextAllocation: MediaTime = .zero
    /// The last allocation found each video track sent as it is wanted, and no limit: until something changes the next would find the same.
    private(set) var isLevel = false
    /// When media began to go to the address in use.
    private(set) var startedAt: MediaTime
    /// Until then a limit that the path has shown counts; each time that it shows one again it counts for longer.
    private var limitedUntil: MediaTime = .zero
    private var limitedFor = PeerOutbound.shortestLimit
    private static let shortestLimit = MediaTime.seconds(3)
    private static let longestLimit = MediaTime.seconds(30)
    /// What its tracks took at the last allocation.
    var used = Bitrate(rawValue: 0)
    /// Since when the path has been full of the least that can be sent.
    private var overloadedSince: MediaTime?
    private var isOverloaded = false
    /// Since when the estimate has been far below the least.
    private var scarceSince: MediaTime?
    private static let scarcityPatience = MediaTime.seconds(1)
    /// The same for an estimate by REMB and receiver reports, which describe about the last second.
    private static let reportedScarcityPatience = MediaTime.milliseconds(500)
    /// As long the queue of what was sent before may take to drain.
    private static let overloadPatience = MediaTime.seconds(4)
    /// Part of the least that a path takes which is not too narrow for it: the estimate is a careful one.
    private static let nearly = 0.6
    /// The same for an estimate by REMB, which is at most 15 % below the received rate.
    private static let nearlyByReports = 0.8
    /// Pictures leave no slower than this while the path has shown no limit, so that it is bursts that are spread and not frames; and those
    /// that a joiner begins with leave like this.
    static let leastPace = Bitrate.kilobits(10_000)
    var probe: ProbePacer?
    private(set) var isOpen = true
    /// Sound alone is sent as it comes: there are no layers to choose and nothing waits.
    private(set) var hasVideo = false
    private static let allocationInterval = MediaTime.milliseconds(100)
    private static let levelInterval = MediaTime.seconds(1)
    /// What is due by the clock is due for all peers at a time, as each wake-up costs more than what it is for.
    private static let beat = MediaTime.milliseconds(50)

    init(
        transport: SubscribeTransport, session: EngineSession, path: Int, at address: PeerAddress,
        estimate: BandwidthEstimator.Configuration, now: MediaTime
    ) {
        self.transport = transport
        self.session = session
        self.path = path
        startedAt = now
        self.estimate = estimate
        self.estimate.hasTransportFeedback = false
        reach(address)
    }

    /// One more track goes by the path. What the peer tells of one section it tells of all that the path carries.
    func admit(_ section: TrackDescription, now: MediaTime) {
        let wasPaced = isPaced
        if section.kind == .video {
            hasVideo = true
            allocateSoon()
        }
        if sent == nil, section.feedback.contains(.transportCC), section.extensions[.transportWideCC] != nil {
            let ring = UnsafeMutablePointer<SentPacketRing>.allocate(capacity: 1)
            ring.initialize(to: SentPacketRing())
            sent = ring
            session.router.path(path).pointee.sent = ring
            estimate.hasTransportFeedback = true
            estimator = BandwidthEstimator(estimate, now: now)
        } else if estimator == nil, section.feedback.contains(.remb) {
            estimator = BandwidthEstimator(estimate, now: now)
        }
        // Before anything is known of the path, the pictures since the last key frame would overflow it in one burst.
        if isPaced, !wasPaced { session.router.path(path).pointee.pacing.setRate(Self.leastPace, now: now) }
    }

    private var isPaced: Bool { hasVideo && estimator != nil }

    /// When `Worker.adapt` has something to do next.
    var deadline: MediaTime {
        let due = min(estimator?.deadline ?? .never, hasVideo ? nextAllocation : .never)
        guard due != .never else { return .never }
        return Self.onBeat(due + Self.beat - .nanoseconds(1))
    }

    /// Takes what an allocation came to.
    func note(_ allocation: LayerAllocation, isLimited: Bool, now: MediaTime) {
        isLevel =
            !isLimited && allocation.next == nil
            && allocation.decisions.allSatisfy { $0.change == .none && $0.selection != nil }
            && transport.tracks.allSatisfy { track in
                track.kind != .video || track.producer == nil || track.isUnwanted
                    || track.wanted === track.producer && !waitsForKeyFrame(track)
                        && !track.isPausedByBandwidth && !transport.paused.contains(.video)
            }
        nextAllocation = Self.onBeat(now + (isLevel ? Self.levelInterval : Self.allocationInterval))
    }

    /// The key frame may have to be asked for again.
    private func waitsForKeyFrame(_ track: SubscribedTrack) -> Bool {
        track.producer.map { session.router.waitsForKeyFrame(path: track.path, producer: $0) } ?? false
    }

    /// Something changed of what the last allocation was made of.
    func allocateSoon() {
        isLevel = false
        nextAllocation = .zero
    }

    private static func onBeat(_ time: MediaTime) -> MediaTime {
        MediaTime(rawValue: time.rawValue / beat.rawValue * beat.rawValue)
    }

    /// The path has shown a limit of its own of late.
    func isLimited(now: MediaTime) -> Bool {
        // Without transport-wide feedback nothing but a higher estimate shows that a limit is over.
        if let estimator, estimator.isCongested || estimator.isHeld {
            if now >= limitedUntil, limitedUntil > .zero {
                limitedFor = min(limitedFor + limitedFor, Self.longestLimit)
            }
            limitedUntil = now + limitedFor
        }
        return now < limitedUntil
    }

    /// Not even the least that shows a picture gets through, by an estimate that leaves no doubt, or because it was tried.
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

    /// Padding goes out on the retransmission stream of a video track that is being fed.
    var canProbe: Bool {
        hasVideo && transport.tracks.contains { $0.kind == .video && $0.rtx != nil && $0.producer != nil }
    }

    /// Frees the flat memory; its path is closed by then.
    func deallocate() {
        isOpen = false
        sent?.pointee.deallocate()
        sent?.deallocate()
    }

    /// The peer is reached at another address from now on. What the path to the old one took says nothing of the new one, nor does what was
    /// lost while the peer moved.
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
        let place = session.router.path(path)
        place.pointee.address = address.address
        place.pointee.lane = address.isTCP ? .tcp : .webRTC
        place.pointee.connection = address.connection
        place.pointee.local = address.local
    }
}

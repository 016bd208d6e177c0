import Forwarding
import MediaBase

/// Decides how long a session's packets wait so that they share send calls. The longest wait follows the load of the worker, as network cards
/// moderate interrupts: with little load packets wait for the shortest time, because the core has time for more calls. With much load they
/// wait for up to the latency budget, because without the saved calls they would wait in the sockets' queues instead.
///
/// All paths of a session share one deadline, so that packets to many subscribers are still encrypted and sent together.
struct GatherPolicy {
    /// Use of a core up to which packets wait for the shortest time.
    static let lightLoad = 0.3
    /// Use of a core from which on packets wait for as long as the latency budget allows. Between both the wait rises linearly.
    static let heavyLoad = 0.7
    /// Time after a path was opened in which the packets of its session wait as with little load.
    static let newPathTime = MediaTime.seconds(1)
    /// Upper limit of the latency budgets.
    static let maximumBudget = MediaTime.milliseconds(20)

    private let shortest: MediaTime
    private let videoBudget: MediaTime
    private let audioBudget: MediaTime
    /// Longest waits at the current load, by kind.
    private(set) var video: MediaTime
    private(set) var audio: MediaTime

    init(_ configuration: EngineConfiguration) throws(EngineError) {
        for (field, budget) in [
            ("videoLatencyBudget", configuration.videoLatencyBudget),
            ("audioLatencyBudget", configuration.audioLatencyBudget),
        ] where !(MediaTime.zero...Self.maximumBudget).contains(budget) {
            throw .invalidRequest(field: field, reason: "must be 0 to 20 ms")
        }
        shortest = configuration.gather
        videoBudget = configuration.videoLatencyBudget
        audioBudget = configuration.audioLatencyBudget
        (video, audio) = (shortest, shortest)
    }

    /// Adapts the waits to the load.
    /// - Parameter load: use of a core (0...1) in the last second.
    mutating func follow(load: Double) {
        // Without a shortest wait gathering is off.
        guard shortest > .zero else { return }
        let share = min(1, max(0, (load - Self.lightLoad) / (Self.heavyLoad - Self.lightLoad)))
        video = wait(of: videoBudget, share)
        audio = wait(of: audioBudget, share)
    }

    private func wait(of budget: MediaTime, _ share: Double) -> MediaTime {
        budget > shortest ? shortest + .seconds((budget - shortest).seconds * share) : shortest
    }

    /// Returns the time by which a packet must be sent. Late packets and retransmissions are sent at once. So is the end of a frame, together
    /// with the frame's earlier packets, and audio without other audio in the session that could share its send calls.
    /// - Parameters:
    ///   - audioProducers: number of the session's audio tracks.
    ///   - newPathUntil: end of the first second of the session's newest path.
    @inline(__always)
    func deadline(
        _ kind: MediaKind, _ flags: StoredPacket.Flags, audioProducers: Int, newPathUntil: MediaTime, now: MediaTime
    ) -> MediaTime {
        if flags.contains(.late) { return now }
        let longest: MediaTime
        if kind == .video {
            if flags.contains(.marker) { return now }
            longest = video
        } else {
            if audioProducers < 2 { return now }
            longest = audio
        }
        return now + (now < newPathUntil ? shortest : longest)
    }
}

import CLinuxNet
import MediaBase
import MediaEngine

/// Loop that reads the taps of a session and passes the packets of its programme to the readers, on its own thread. It never waits for a
/// reader: a tap that is full drops packets.
final class ProgrammeThread {
    /// Time between two rounds. Half of an Opus packet, so that the output has little jitter.
    private static let round: MediaTime = .milliseconds(10)
    /// Time between two looks at the state of the session.
    private static let lookInterval: MediaTime = .milliseconds(200)
    /// Time without readers after which the programme ends. A player that opens the address again finds it running.
    private static let linger: MediaTime = .seconds(2)
    /// Maximum number of packets of a tap in one round, so that one stream cannot delay the others.
    private static let batch = 512

    private let state: ProgrammeState
    private let requestKeyFrame: @Sendable (_ stream: String) -> Void
    private var programme: Programme
    private var lookedAt: MediaTime
    private var readAt: MediaTime

    init(
        _ programme: sending Programme, state: ProgrammeState, now: MediaTime,
        requestKeyFrame: @escaping @Sendable (_ stream: String) -> Void
    ) {
        self.programme = programme
        self.state = state
        self.requestKeyFrame = requestKeyFrame
        (lookedAt, readAt) = (now - Self.lookInterval, now)
    }

    /// Starts `loop` on a new thread, which then owns the objects that it refers to. Returns errno.
    static func start(_ loop: sending ProgrammeThread) -> Int32 { DetachedThread.run("programme") { loop.run() } }

    private func run() {
        while !state.isStopWanted, now - readAt < Self.linger {
            _ = millrace_wait(nil, 0, Self.round.rawValue)
            handleRound()
        }
        state.end()
    }

    private func handleRound() {
        let work = state.begin()
        let now = now
        if !work.readers.isEmpty { readAt = now }
        if let listing = work.listing { programme.update(listing, now: now) }
        if work.isKeyFrameWanted { programme.requestKeyFrame() }
        var finished: [PacketTap] = []
        for input in work.inputs {
            read(input)
            if input.tap.isClosed, input.tap.isEmpty {
                programme.end(input.key.kind, of: input.key.stream, now: now)
                finished.append(input.tap)
            }
        }
        programme.handleTimeout(now: now)
        deliver(to: work.readers)
        let isDue = now - lookedAt >= Self.lookInterval
        if isDue { lookedAt = now }
        state.finish(removing: finished, videoStreams: programme.videoStreams, isDue: isDue)
    }

    private func read(_ input: ProgrammeState.Input) {
        for _ in 0..<Self.batch {
            guard input.tap.next({ programme.insert($0, of: input.key.stream) }) != nil else { return }
        }
    }

    private func deliver(to readers: [PacketTap]) {
        while let output = programme.nextOutput() {
            switch output {
            case .packet(let packet):
                packet.withTapPacket { packet in
                    for reader in readers { reader.push(packet) }
                }
            case .keyFrameRequest(let stream): requestKeyFrame(stream)
            }
        }
        for reader in readers { reader.flush() }
    }

    private var now: MediaTime { .nanoseconds(millrace_monotonic_ns()) }
}

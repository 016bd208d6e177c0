import MediaBase
import MediaEngine

/// Pipe between two relays of a session, as the home relay keeps it. One call about it is under way at a time.
struct MediaPipe {
    struct Route: Hashable {
        /// Relay of the publishers.
        let from: MediaRelay
        let to: MediaRelay
    }

    enum Step {
        case openReceiver
        case openSender
        case describe
        case mirror
        case send
        case withhold
    }

    /// Pauses after failures.
    private static let backoff = Backoff(first: .milliseconds(250), longest: .seconds(8))

    /// A failed pipe is replaced by one with another number and other keys.
    let id: UInt64
    let route: Route
    private let keys = PipeKeys.random()
    private var receiver: PipeEnd?
    private var sender: PipeEnd?
    /// Call that is under way.
    private var step: Step?
    /// Version of the streams at the sending relay. Each change there makes a new one.
    private(set) var version: UInt64 = 1
    /// Version that the receiving relay has.
    private(set) var applied: UInt64 = 0
    /// Version of the description under way.
    private var described: UInt64 = 0
    /// Description under way.
    private var description = PipeDescription(streams: [])
    /// Whether the description under way was made before a move, and must not be used.
    private var isStale = false
    /// Tracks that the receiving relay has requested last, and those that the sending relay sends.
    private var requested: [PipeTrack] = []
    /// Nil: it sends those that the previous home relay has passed on.
    private var sent: [PipeTrack]? = []
    /// Streams that the receiving relay may forward.
    private(set) var mirrored: Set<String> = []
    /// Streams that the receiving relay has mirrors of, by its latest answer.
    private(set) var present: Set<String> = []
    /// Streams that the receiving relay must stop to forward.
    private var unwanted: Set<String> = []
    /// Number of moves under way, which the next description must not precede.
    private var moves: Int
    private let failures: Int
    private var refusals = 0
    /// Time before which the pipe is not opened, or its streams are not described again, after a failure.
    private var notBefore: MediaTime

    /// - Parameter moves: number of moves under way.
    init(id: UInt64, _ route: Route, moves: Int, failures: Int = 0, now: MediaTime) {
        self.moves = moves
        self.id = id
        self.route = route
        self.failures = failures
        notBefore = failures == 0 ? now : now + Self.backoff.delay(failures: failures)
    }

    /// Creates a pipe that the previous home relay of the session has opened.
    init(
        id: UInt64, _ route: Route, continuing receiver: MediaInventory.Receiver, from sender: PipeEnd, now: MediaTime
    ) {
        self.init(id: id, route, moves: 0, now: now)
        self.receiver = receiver.end
        self.sender = sender
        mirrored = receiver.streams
        sent = nil
    }

    /// Returns the pipe that replaces this one after a failure.
    func successor(id: UInt64, now: MediaTime) -> MediaPipe {
        MediaPipe(id: id, route, moves: moves, failures: applied > 0 ? 1 : failures + 1, now: now)
    }

    /// Ends that are open, with their relays.
    var ends: [(relay: MediaRelay, id: TransportID)] {
        [receiver.map { (route.to, $0.id) }, sender.map { (route.from, $0.id) }].compactMap { $0 }
    }

    /// Time of the next call that waits for time; `never` if there is none.
    var deadline: MediaTime { step == nil && isDue ? notBefore : .never }

    /// Whether the pipe is not open, or the receiving relay lacks a version that it may have.
    private var isDue: Bool { receiver == nil || sender == nil || moves == 0 && applied < version }

    /// Whether the receiving relay still forwards streams that it must stop to forward.
    var isWithholding: Bool { step == .withhold || !unwanted.isEmpty }

    /// Whether the receiving relay has mirrors, or may get some by the description under way.
    var hasMirrors: Bool { !mirrored.isEmpty || described > applied }

    /// Returns whether the receiving relay has a mirror of the stream, or may get one by the description under way.
    func mayMirror(_ stream: String) -> Bool { mirrored.contains(stream) || described > applied }

    // MARK: changes

    /// Notes that streams of the sending relay have changed.
    mutating func change(now: MediaTime) {
        version &+= 1
        if sender != nil { notBefore = min(notBefore, now) }
    }

    /// Begins a move of publishers of the sending relay: the receiving relay stops to forward their streams until a description made after the
    /// move.
    mutating func beginMove(of streams: Set<String>) {
        moves += 1
        if step == .describe { isStale = true }
        unwanted.formUnion(streams.intersection(mirrored))
    }

    mutating func endMove(now: MediaTime) {
        moves -= 1
        change(now: now)
    }

    // MARK: calls

    /// Returns the next call, which is under way from now on; nil if nothing is to be done.
    mutating func next(now: MediaTime) -> (step: Step, relay: MediaRelay, call: MediaCall)? {
        guard step == nil, let (next, relay, call) = due(now: now) else { return nil }
        step = next
        return (next, relay, call)
    }

    private mutating func due(now: MediaTime) -> (Step, MediaRelay, MediaCall)? {
        guard let receiver, let sender else {
            guard now >= notBefore else { return nil }
            guard let receiver else { return (.openReceiver, route.to, .openPipeReceiver(keys)) }
            return (.openSender, route.from, .openPipeSender(keys, to: receiver))
        }
        if !unwanted.isEmpty {
            defer { unwanted = [] }
            return (.withhold, route.to, .withhold(unwanted.sorted(), receiver.id))
        }
        if described > applied, !isStale {
            mirrored.formUnion(description.streams.map(\.name))
            return (.mirror, route.to, .mirror(description, receiver.id, from: sender))
        }
        // A pipe of the previous home relay sends its tracks until the mirrors are known.
        if applied > 0, requested != sent { return (.send, route.from, .send(requested, sender.id)) }
        guard moves == 0, applied < version, now >= notBefore else { return nil }
        isStale = false
        described = version
        return (.describe, route.from, .describe)
    }

    /// Handles the answer to the call that is under way.
    /// - Returns: false if it is not an answer to that call.
    mutating func answered(_ answer: MediaCallAnswer, now: MediaTime) -> Bool {
        let answered = step
        step = nil
        switch (answered, answer) {
        case (.openReceiver, .pipe(let end)): receiver = end
        case (.openSender, .pipe(let end)): sender = end
        case (.describe, .description(let description)): self.description = description
        case (.mirror, .tracks(let tracks)): mirrors(tracks, now: now)
        case (.send, .done): sent = requested
        case (.withhold, .done): break
        default: return false
        }
        return true
    }

    private mutating func mirrors(_ tracks: [PipeTrack], now: MediaTime) {
        applied = described
        mirrored = Set(description.streams.map(\.name))
        requested = tracks
        let numbers = Set(tracks.map(\.number))
        let complete = description.streams.filter { $0.tracks.allSatisfy { numbers.contains($0.number) } }
        present = Set(complete.map(\.name))
        guard complete.count == description.streams.count else {
            // A name is still in use there, or a limit is reached.
            refusals += 1
            version &+= 1
            notBefore = now + Self.backoff.delay(failures: refusals)
            return
        }
        refusals = 0
    }
}

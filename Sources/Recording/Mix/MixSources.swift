import Containers
import MediaBase

/// The streams of a session while they are mixed: the current file of each, its last frame, and its loudness.
struct MixSources {
    /// Longest pause between two files of a stream during which its tile stays.
    private static let maximumAbsence: MediaTime = .seconds(10)
    /// Pause of a stream after which its last frame is dimmed. A screen that does not change sends few frames.
    private static let cameraPause: MediaTime = .seconds(3)
    private static let screenPause: MediaTime = .seconds(10)

    private struct State {
        var input: MixInput?
        /// Last frame of the previous file.
        var lastImage: I420Frame?
        /// Frames of previous files.
        var version = 0
        /// End of the previous file.
        var end: MediaTime?
        var meter = PCMLoudnessMeter()
        /// Index of the first file that has not begun.
        var next = 0
    }

    private let plan: MixPlan
    /// Relay time of the mix's time zero, since 1970.
    private let zero: MediaTime
    private var states: [State]

    init(_ plan: MixPlan, zero: MediaTime) {
        self.plan = plan
        self.zero = zero
        states = plan.sources.map { _ in State() }
    }

    /// Makes a file that has begun the current one of its stream, unless a later one is.
    /// - Returns: whether it is the current one.
    mutating func begin(_ input: MixInput, at now: MediaTime) -> Bool {
        let state = states[input.source]
        if state.input === input { return true }
        guard input.span != nil, input.reader.index >= state.next else { return false }
        if let current = state.input { end(current, at: now) }
        states[input.source].input = input
        states[input.source].next = input.reader.index + 1
        return true
    }

    /// Keeps the last frame of a file that is no longer the current one of its stream.
    mutating func end(_ input: MixInput, at now: MediaTime) {
        guard states[input.source].input === input else { return }
        var state = states[input.source]
        state.version += (input.video?.shown ?? 0) + 1
        state.lastImage = input.video?.image ?? state.lastImage
        state.end = now
        state.input = nil
        states[input.source] = state
    }

    /// Notes audio of a stream, for the loudness of its tile.
    mutating func note(_ block: MixAudioTrack.Block, of source: Int) {
        states[plan.sources[source].tile].meter.note(block.samples, end: block.end)
    }

    /// Returns the streams that have a tile.
    func members(at now: MediaTime) -> [MixLayout.Member] {
        let sample = AudioMixer.sample(at: now)
        return plan.sources.indices.filter { isPresent($0) }.map { index in
            MixLayout.Member(
                id: index, isScreen: plan.sources[index].isScreen && plan.sources[index].hasVideo,
                loudness: states[index].meter.loudness(at: sample))
        }
    }

    /// Returns the content of a stream's tile.
    func content(of index: Int, at now: MediaTime) -> MixTiles.Content {
        let state = states[index]
        let video = state.input?.video
        let pause = plan.sources[index].isScreen ? Self.screenPause : Self.cameraPause
        return MixTiles.Content(
            image: video?.image ?? state.lastImage, version: state.version + (video?.shown ?? 0),
            isPaused: video?.lastTime.map { now - $0 > pause } ?? true, name: plan.sources[index].name)
    }

    private func isPresent(_ index: Int) -> Bool {
        // Audio without a tile is present with the tile that stands for it.
        plan.sources[index].tile == index
            && plan.sources.indices.contains { plan.sources[$0].tile == index && isOpen($0) }
    }

    /// Whether a stream has a file, or has one again soon.
    private func isOpen(_ index: Int) -> Bool {
        let state = states[index]
        if state.input != nil { return true }
        guard let end = state.end, let next = plan.sources[index].files.first(where: { $0 >= state.next }) else {
            return false
        }
        return plan.files[next].start - zero - end <= Self.maximumAbsence
    }
}

import MediaBase
import MediaEngine
import Synchronization

/// State shared by a programme's thread, the task that opens its taps, and its readers.
final class ProgrammeState: Sendable {
    /// A tap of one track of the session.
    struct Input: Sendable {
        var key: ProgrammeTaps.Key
        var tap: PacketTap
    }

    /// What the thread handles in one round.
    struct Work: Sendable {
        var inputs: [Input]
        /// New state of the session; nil if it has not changed.
        var listing: ProgrammeListing?
        var readers: [PacketTap]
        var isKeyFrameWanted: Bool
    }

    private struct Values {
        var inputs: [Input] = []
        var listing: ProgrammeListing
        var isListingNew = true
        var readers: [PacketTap] = []
        var videoStreams: [String] = []
        var isKeyFrameWanted = false
        var isStopWanted = false
        var isEnded = false
    }

    /// An element when the session's state has to be read again; ends after the thread.
    let wakes: AsyncStream<Void>
    private let wake: AsyncStream<Void>.Continuation
    private let maximumReaders: Int
    private let values: Mutex<Values>

    init(_ listing: ProgrammeListing, maximumReaders: Int) {
        self.maximumReaders = maximumReaders
        values = Mutex(Values(listing: listing))
        (wakes, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    var isStopWanted: Bool { values.withLock { $0.isStopWanted } }
    /// Whether the programme takes no more readers.
    var isEnded: Bool { values.withLock { $0.isStopWanted || $0.isEnded } }
    var videoStreams: [String] { values.withLock { $0.videoStreams } }
    var openInputs: Set<ProgrammeTaps.Key> { values.withLock { Set($0.inputs.map(\.key)) } }

    func stop() { values.withLock { $0.isStopWanted = true } }
    func requestKeyFrame() { values.withLock { $0.isKeyFrameWanted = true } }

    // MARK: readers

    /// - Returns: false if the programme has ended.
    /// - Throws: `limitReached`.
    func add(reader: PacketTap) throws(EngineError) -> Bool {
        let isFull = values.withLock { values -> Bool? in
            guard !values.isStopWanted, !values.isEnded else { return nil }
            values.readers.removeAll(where: \.isClosed)
            guard values.readers.count < maximumReaders else { return true }
            values.readers.append(reader)
            values.isKeyFrameWanted = true
            return false
        }
        if isFull == true { throw .limitReached(name: "programmeReaders", limit: maximumReaders) }
        return isFull == false
    }

    // MARK: task

    func update(_ listing: ProgrammeListing) {
        values.withLock { values in
            guard listing != values.listing else { return }
            values.listing = listing
            values.isListingNew = true
        }
    }

    /// Adds a tap; closes it if the programme has ended.
    func add(_ input: Input) {
        let isOpen = values.withLock { values in
            if !values.isStopWanted, !values.isEnded { values.inputs.append(input) }
            return !values.isStopWanted && !values.isEnded
        }
        if !isOpen { input.tap.close() }
    }

    /// Closes taps. The thread removes them when it has read the rest.
    func close(_ keys: Set<ProgrammeTaps.Key>) {
        for input in values.withLock({ $0.inputs }) where keys.contains(input.key) { input.tap.close() }
    }

    // MARK: thread

    func begin() -> Work {
        values.withLock { values in
            values.readers.removeAll(where: \.isClosed)
            defer { (values.isListingNew, values.isKeyFrameWanted) = (false, false) }
            return Work(
                inputs: values.inputs, listing: values.isListingNew ? values.listing : nil, readers: values.readers,
                isKeyFrameWanted: values.isKeyFrameWanted)
        }
    }

    /// - Parameters:
    ///   - finished: taps that ended and were read completely.
    ///   - isDue: whether the session's state has to be read again.
    func finish(removing finished: [PacketTap], videoStreams: [String], isDue: Bool) {
        let isChanged = values.withLock { values in
            if !finished.isEmpty {
                values.inputs.removeAll { input in finished.contains { $0 === input.tap } }
            }
            defer { values.videoStreams = videoStreams }
            return values.videoStreams != videoStreams
        }
        if isDue || isChanged || !finished.isEmpty { wake.yield() }
    }

    /// Ends the programme: closes the taps of the session and those of the readers.
    func end() {
        let (inputs, readers) = values.withLock { values in
            values.isEnded = true
            defer { (values.inputs, values.readers) = ([], []) }
            return (values.inputs, values.readers)
        }
        for input in inputs { input.tap.close() }
        for reader in readers { reader.close() }
        wake.finish()
    }
}

import Forwarding
import MediaBase
import RTP

/// Links of one worker with the others. A link is made with the first session that two workers have parts of, and kept.
struct WorkerLinks: ~Copyable {
    /// Records that a worker takes from one link in a turn, so that a burst does not delay its timers.
    static let recordsPerTurn = 256

    private let worker: Int
    /// Ends by index of the reading worker.
    private var writers: [LinkWriter?] = []
    private(set) var readers: [LinkReader] = []
    /// Readers to which records were written in this turn, as a bit mask of workers.
    private var written: UInt64 = 0

    init(worker: Int) { self.worker = worker }

    // MARK: writing

    /// Makes the link to a worker unless there is one.
    /// - Returns: false if there is no such worker.
    mutating func connect(to reader: Int, _ totals: WorkerTotals) -> Bool {
        guard reader != worker, (0..<SessionParts.maximumWorkers).contains(reader) else { return false }
        while writers.count <= reader { writers.append(nil) }
        guard writers[reader] == nil else { return true }
        guard let mailbox = totals.mailbox(of: reader) else { return false }
        writers[reader] = LinkWriter(WorkerLink(from: worker, to: mailbox))
        return true
    }

    /// Sends a message to a connected worker.
    /// - Parameter work: receives the link and the number of the message.
    /// - Returns: false if the worker accepts no more.
    mutating func send(to reader: Int, _ work: @escaping @Sendable (Worker, WorkerLink, UInt64) -> Void) -> Bool {
        guard writers.indices.contains(reader), let link = writers[reader]?.link else { return false }
        return writers[reader]?.send { worker, number in work(worker, link, number) } ?? false
    }

    /// Copies a received packet to the workers that have parts of its session.
    /// - Returns: whether the track needs a key frame, because a link was full. Its mirror there continues with that.
    @inline(never)
    mutating func copy(
        _ slot: UnsafeMutablePointer<StoredPacket>, _ header: RTPHeader, _ payload: UnsafeRawBufferPointer,
        _ descriptor: UnsafeRawBufferPointer?, of track: UnsafeMutablePointer<InboundTrack>, now: MediaTime,
        _ counters: inout EngineCounters
    ) -> Bool {
        let isVideo = track.pointee.kind == .video
        let dropped = append(
            LinkRecord(slot, header, descriptor, of: track, now: now), payload,
            descriptor ?? UnsafeRawBufferPointer(start: nil, count: 0), isVideo: isVideo,
            startsVideo: slot.pointee.flags.contains(.keyFrameStart),
            to: track.pointee.session._withUnsafeGuaranteedRef { $0.parts.receivers })
        counters.droppedLink &+= UInt64(dropped)
        return isVideo && dropped > 0
    }

    /// Appends a packet to several links.
    /// - Parameter readers: bit mask of workers.
    /// - Returns: the number of copies that were dropped.
    private mutating func append(
        _ record: LinkRecord, _ payload: UnsafeRawBufferPointer, _ descriptor: UnsafeRawBufferPointer,
        isVideo: Bool, startsVideo: Bool, to readers: UInt64
    ) -> Int {
        var dropped = 0
        var rest = readers
        while rest != 0 {
            let reader = rest.trailingZeroBitCount
            rest &= rest &- 1
            let isCopied =
                writers[reader]?.append(
                    record, payload, descriptor, isVideo: isVideo, startsVideo: startsVideo) ?? false
            if !isCopied { dropped += 1 }
        }
        written |= readers
        return dropped
    }

    /// Appends a record without a payload to several links.
    mutating func append(_ record: LinkRecord, to readers: UInt64) {
        var rest = readers
        while rest != 0 {
            writers[rest.trailingZeroBitCount]?.append(record)
            rest &= rest &- 1
        }
        written |= readers
    }

    /// Appends a record with its payload to several links. The readers can do without it.
    mutating func append(_ record: LinkRecord, _ payload: UnsafeRawBufferPointer, to readers: UInt64) {
        let none = UnsafeRawBufferPointer(start: nil, count: 0)
        _ = append(record, payload, none, isVideo: false, startsVideo: false, to: readers)
    }

    /// Wakes the workers to which records were written. Call once in each turn.
    mutating func flush() {
        guard written != 0 else { return }
        var rest = written
        written = 0
        while rest != 0 {
            writers[rest.trailingZeroBitCount]?.link.wake()
            rest &= rest &- 1
        }
    }

    // MARK: reading

    /// Returns the index of the reader of a link. A link is known from its first message on.
    mutating func reader(of link: WorkerLink) -> Int {
        if let known = readers.firstIndex(where: { $0.link === link }) { return known }
        readers.append(LinkReader(link))
        return readers.count - 1
    }

    /// Returns the index of the reader of the link from a worker.
    func reader(from writer: Int) -> Int? { readers.firstIndex { $0.link.writer == writer } }

    subscript(reader: Int) -> LinkReader {
        _read { yield readers[reader] }
        _modify { yield &readers[reader] }
    }

    /// Whether records wait.
    var hasRecords: Bool { readers.contains { !$0.link.ring.isEmpty } }
}

import Forwarding
import MediaBase

/// Inbound tracks of a worker by index, and those with requests to their publishers (key frames, missing packets). A track keeps its index
/// until it is removed. Pointers to tracks are valid until the next `add`.
struct InboundTable: ~Copyable {
    /// Minimum time between two rounds of requests, so that losses close together share a packet.
    static let requestSpacing = MediaTime.milliseconds(5)

    private var tracks: UnsafeMutablePointer<InboundTrack>
    private var capacity = 16
    /// Number of initialized tracks, removed ones included.
    private var count = 0
    private var free: [Int] = []
    /// Number of the newest track of a publisher.
    private var newest: UInt64 = 0
    /// Tracks with requests.
    private var asking: ContiguousArray<Int> = []
    /// Time of the next round of requests.
    private(set) var nextRequests: MediaTime = .never
    private var lastRequests: MediaTime = .zero

    init() { tracks = .allocate(capacity: capacity) }

    deinit {
        for index in 0..<count { tracks[index].headers?.deallocate() }
        tracks.deallocate()
    }

    /// Returns the track with an index that `add` returned.
    @inline(__always)
    subscript(index: Int) -> UnsafeMutablePointer<InboundTrack> { tracks + index }

    @inline(__always)
    func index(of track: UnsafeMutablePointer<InboundTrack>) -> Int { track - tracks }

    /// Adds a track and returns its index, which may be that of a removed track.
    mutating func add(_ track: InboundTrack) -> Int {
        var track = track
        if !track.isMirror {
            newest += 1
            track.number = newest
        }
        if let index = free.popLast() {
            tracks[index] = track
            return index
        }
        if count == capacity {
            capacity *= 2
            tracks.grow(to: capacity, moving: count)
        }
        (tracks + count).initialize(to: track)
        count += 1
        return count - 1
    }

    /// Removes a track with its requests and headers.
    mutating func remove(_ index: Int) {
        if tracks[index].isAsking {
            tracks[index].isAsking = false
            asking.removeAll { $0 == index }
        }
        tracks[index].headers?.deallocate()
        tracks[index].headers = nil
        free.append(index)
    }

    // MARK: requests

    /// Lists a track if its producer has requests. Called for every packet: without requests it costs three loads.
    @inline(__always)
    mutating func askWhenDue(_ track: UnsafeMutablePointer<InboundTrack>, _ producer: Producer) {
        guard let due = producer.requestsDue, due < nextRequests || !track.pointee.isAsking else { return }
        if !track.pointee.isAsking {
            track.pointee.isAsking = true
            asking.append(track - tracks)
        }
        nextRequests = min(nextRequests, max(due, lastRequests + Self.requestSpacing))
    }

    /// Requests a key frame from the origin of a producer, now or as soon as its throttle allows. A producer that has ended requests none.
    /// - Parameter isAwaited: a subscriber receives nothing from the producer before that key frame.
    mutating func requestKeyFrame(of producer: Producer, isAwaited: Bool) {
        guard producer.tag >= 0 else { return }
        producer.keyFrames.request(isAwaited: isAwaited)
        askWhenDue(self[producer.tag], producer)
    }

    /// Takes the requests for missing packets and key frames that are due. Only tracks with requests are visited.
    mutating func takeRequests(now: MediaTime) -> [InboundRequest] {
        var requests: [InboundRequest] = []
        for index in takeAsking(now: now) {
            let track = self[index]
            // The address of a publisher is unknown before its first packet, which lists the track again.
            guard track.pointee.hasAddress else { continue }
            let producer = track.pointee.producer.takeUnretainedValue()
            if let transport = track.pointee.transport?.takeUnretainedValue() {
                for request in producer.takeRequests(from: transport.localSSRC, now: now) {
                    requests.append(.compound(request.bytes, missing: request.missing, producer, transport))
                }
            } else {
                let isAwaited = producer.keyFrames.isAwaited
                if producer.keyFrames.take(now: now) {
                    requests.append(
                        .keyFrame(
                            track: track.pointee.number, session: track.pointee.session.takeUnretainedValue().name,
                            isAwaited: isAwaited, worker: track.pointee.origin))
                }
            }
            askWhenDue(track, producer)
        }
        return requests
    }

    /// Begins a round of requests: returns the tracks that have any. `askWhenDue` lists a track again for the next round.
    mutating func takeAsking(now: MediaTime) -> ContiguousArray<Int> {
        lastRequests = now
        nextRequests = .never
        let taken = asking
        asking = []
        for index in taken { tracks[index].isAsking = false }
        return taken
    }
}

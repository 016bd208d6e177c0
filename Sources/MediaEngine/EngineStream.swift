import Forwarding
import MediaBase

/// Stream of one publisher: at most one track of each kind, video in one or more encodings.
final class EngineStream {
    /// Rendition of the video track.
    struct Encoding {
        let rid: RID?
        let producer: Producer
    }

    let name: String
    let source: StreamSource
    /// Subsession whose participants receive the stream.
    var subsession: EngineSubsession
    var audio: Producer?
    /// Codec of the video in all its encodings; nil for a stream without video. Known before the first packet.
    var codec: VideoCodec?
    /// Encodings in the order of the publisher's announcement, by custom from the smallest to the largest.
    private(set) var encodings: [Encoding] = []
    /// Index of the largest encoding that receives packets. Subscribers and taps that cannot choose an encoding get it.
    private var best = 0
    /// Taps that get the largest encoding.
    var taps: [PacketTap] = []
    var run = TapRun()
    /// Taps whose readers choose the encoding.
    var choosingTaps: [ChoosingTap] = []
    /// Muted kinds: all their packets are dropped, those of encodings that begin later included.
    private(set) var muted: Set<MediaKind> = []
    /// Whether all packets are dropped until the next description of the stream: it moves to another subsession at the relay that it is
    /// mirrored from.
    private(set) var isWithheld = false
    let createdAt: Int64
    /// Whether its frames are encrypted end to end, so that the relay cannot decode them.
    let isEncrypted: Bool
    /// Home part: description for the other parts; nil if the stream has changed since. Other parts: the description that was applied last.
    var replica: StreamReplica?
    /// Other parts: number of the message that last described the stream.
    var describedBy: UInt64 = 0
    /// Frame size in the last `dimensions` event.
    var dimensions: (width: Int, height: Int)?
    /// Whether `framesReordered` was reported.
    var hasReportedOrder = false
    /// Bytes received at the last report, by the producer's tag.
    var bytesAtReport: [Int: (bytes: UInt64, at: MediaTime)] = [:]
    var bitrate: [Int: Bitrate] = [:]

    /// Mirrored streams: encodings that this relay needs.
    var demand = StreamDemand()

    /// Bit rates of the encodings when layers were last chosen for subscribers, in bits per second; 0 for an inactive encoding.
    private var notedRates: [Int64] = []

    /// Time without a packet after which an encoding counts as stopped. Publishers stop the larger
    /// encodings if their uplink has too little bandwidth.
    static let encodingTimeout = MediaTime.milliseconds(1500)

    init(name: String, source: StreamSource, subsession: EngineSubsession, createdAt: Int64, isEncrypted: Bool = false)
    {
        self.name = name
        self.source = source
        self.subsession = subsession
        self.createdAt = createdAt
        self.isEncrypted = isEncrypted
    }

    func setMuted(_ isMuted: Bool, _ kind: MediaKind) {
        guard isMuted else {
            muted.remove(kind)
            return
        }
        guard muted.insert(kind).inserted else { return }
        pauseTaps(kind)
    }

    /// Kinds whose packets are dropped, for either reason.
    var silenced: Set<MediaKind> { isWithheld ? Set(MediaKind.allCases) : muted }

    func withhold() {
        isWithheld = true
        for kind in MediaKind.allCases { pauseTaps(kind) }
    }

    /// Ends `withhold`.
    func release() { isWithheld = false }

    var video: Producer? { encodings.isEmpty ? nil : encodings[best].producer }

    /// Returns the largest active encoding that is at most `height` pixels high, or the smallest
    /// active one. A `height` of 0 means no bound.
    func video(within height: Int, now: MediaTime) -> Producer? {
        guard height > 0 else { return video }
        let active = encodings.map(\.producer).filter { $0.isActive(now: now) }
        let fitting = active.last { (1...height).contains($0.frameSize?.height ?? 0) }
        return fitting ?? active.first ?? encodings.first?.producer
    }

    func producer(_ kind: MediaKind) -> Producer? { kind == .audio ? audio : video }

    var producers: [Producer] { (audio.map { [$0] } ?? []) + encodings.map(\.producer) }

    /// - Parameter position: index among the encodings that exist now.
    func insert(_ encoding: Encoding, at position: Int) {
        encodings.insert(encoding, at: position)
        best = encodings.count - 1
        if source.isPipe { demand.note(encoding.producer.tag, now: encoding.producer.lastArrival) }
        for choosing in choosingTaps { choose(for: choosing, now: encoding.producer.lastArrival) }
    }

    /// Returns whether an encoding began, ended, stopped or changed its rate by more than a quarter since the last such change.
    func hasNewRates(now: MediaTime) -> Bool {
        let rates = encodings.map { encoding -> Int64 in
            guard encoding.producer.isActive(now: now) else { return 0 }
            return max(1, encoding.producer.measured(now: now).bitrates.last?.rawValue ?? 0)
        }
        let isSame =
            rates.count == notedRates.count
            && zip(rates, notedRates).allSatisfy { rate, noted in
                rate == noted || rate > 0 && noted > 0 && abs(rate - noted) <= noted / 4
            }
        if !isSame { notedRates = rates }
        return !isSame
    }

    /// Removes the audio producer or the producer of one encoding.
    func remove(_ producer: Producer) {
        interruptTaps(of: producer)
        if audio === producer { audio = nil }
        encodings.removeAll { $0.producer === producer }
        best = max(0, encodings.count - 1)
        for choosing in choosingTaps { choose(for: choosing, now: producer.lastArrival) }
        demand.forget(producer.tag)
        bytesAtReport[producer.tag] = nil
        bitrate[producer.tag] = nil
    }

    /// Sorts the encodings by size, once all sizes are known, and selects the largest that has not stopped.
    /// - Returns: whether `video` has changed.
    func chooseBest(now: MediaTime) -> Bool {
        let before = video
        let sizes = encodings.compactMap { $0.producer.frameSize?.height }
        if sizes.count == encodings.count, zip(sizes, sizes.dropFirst()).contains(where: { $0 > $1 }) {
            encodings.sort { $0.producer.frameSize?.height ?? 0 < $1.producer.frameSize?.height ?? 0 }
        }
        let arriving = encodings.lastIndex {
            !$0.producer.isWithheld(now: now)
                && (now - $0.producer.lastArrival < Self.encodingTimeout || $0.producer.isAnnounced(now: now))
        }
        best = arriving ?? max(0, encodings.count - 1)
        return video !== before
    }
}

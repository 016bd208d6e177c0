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
    var taps: [PacketTap] = []
    private var audioJoin = TapJoin(.audio)
    private var videoJoin = TapJoin(.video)
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
    /// Bytes received at the last report, by the producer's tag.
    var bytesAtReport: [Int: (bytes: UInt64, at: MediaTime)] = [:]
    var bitrate: [Int: Bitrate] = [:]

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
        switch kind {
        case .audio: audioJoin.pause()
        case .video: videoJoin.pause()
        }
    }

    /// Kinds whose packets are dropped, for either reason.
    var silenced: Set<MediaKind> { isWithheld ? Set(MediaKind.allCases) : muted }

    func withhold() {
        isWithheld = true
        audioJoin.pause()
        videoJoin.pause()
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

    /// Returns a received packet as taps see it; nil if taps see another encoding.
    /// - Parameter canStart: whether a decoder can start with the packet.
    func join(_ packet: TapPacket, canStart: Bool, of producer: Producer) -> TapPacket? {
        switch producer.kind {
        case .audio: audioJoin.join(packet, canStart: canStart, of: producer, wanted: audio)
        case .video: videoJoin.join(packet, canStart: canStart, of: producer, wanted: video)
        }
    }

    /// Replays cached video to a new tap from the newest key frame on, if the ring still holds it and all packets after it.
    /// - Returns: the number of packets that the tap dropped.
    func replay(to tap: PacketTap) -> UInt64 {
        guard let producer = video, let start = producer.cachedKeyFrame() else { return 0 }
        var dropped: UInt64 = 0
        for sequence in start.pointee.sequence...producer.latestSequence {
            guard let slot = producer.core.pointee.ring.find(sequence) else { break }
            let length = Int(slot.pointee.payloadLength) - Int(slot.pointee.paddingLength)
            let payload = UnsafeRawBufferPointer(
                start: producer.core.pointee.ring.payload(of: slot.pointee), count: length)
            guard let packet = videoJoin.replay(TapPacket(slot.pointee, payload, of: producer), of: producer) else {
                break
            }
            if !tap.push(packet) { dropped &+= 1 }
        }
        tap.flush()
        return dropped
    }

    /// Ends the taps' run of a producer's packets, because the producer ended or continues with new sequence numbers and timestamps.
    func interruptTaps(of producer: Producer) {
        switch producer.kind {
        case .audio: audioJoin.interrupt(producer)
        case .video: videoJoin.interrupt(producer)
        }
    }

    /// Removes closed taps. If none are left, the next tap's sequence numbers and timestamps do not continue those of earlier taps.
    func dropClosedTaps() {
        taps.removeAll { $0.isClosed }
        guard taps.isEmpty else { return }
        audioJoin = TapJoin(.audio)
        videoJoin = TapJoin(.video)
    }

    /// - Parameter position: index among the encodings that exist now.
    func insert(_ encoding: Encoding, at position: Int) {
        encodings.insert(encoding, at: position)
        best = encodings.count - 1
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
        best =
            encodings.lastIndex { now - $0.producer.lastArrival < Self.encodingTimeout } ?? max(0, encodings.count - 1)
        return video !== before
    }
}

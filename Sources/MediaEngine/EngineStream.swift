import Forwarding
import MediaBase

/// What one publisher sends: up to one track of each kind, video in one or more encodings.
final class EngineStream {
    /// One rendition of the video track.
    struct Encoding {
        let rid: RID?
        let producer: Producer
    }

    let name: String
    let transport: PublishTransport
    /// Who hears it is there as well.
    var room: EngineRoom
    var audio: Producer?
    /// In the order in which the publisher announced them, which by custom is from the smallest to the largest.
    private(set) var encodings: [Encoding] = []
    /// Index of the encoding that whoever cannot choose gets: the largest that has packets coming.
    private var best = 0
    var taps: [PacketTap] = []
    private var sound = TapJoin(.audio)
    private var pictures = TapJoin(.video)
    /// Kinds of which every packet is dropped here, encodings that are still to come included.
    var muted: Set<MediaKind> = []
    let createdAt: Int64
    /// Picture size that was last told of.
    var dimensions: (width: Int, height: Int)?
    /// By the producer's tag.
    var bytesAtReport: [Int: (bytes: UInt64, at: MediaTime)] = [:]
    var bitrate: [Int: Bitrate] = [:]

    /// What viewers' layers were chosen by last: the encodings' rates, bits a second; 0 where no packets came.
    private var notedRates: [Int64] = []

    /// Without a packet for this long an encoding has stopped: publishers drop the larger ones when their uplink is short.
    static let encodingTimeout = MediaTime.milliseconds(1500)

    init(name: String, transport: PublishTransport, room: EngineRoom, createdAt: Int64) {
        self.name = name
        self.transport = transport
        self.room = room
        self.createdAt = createdAt
    }

    func setMuted(_ isMuted: Bool, _ kind: MediaKind) {
        guard isMuted else {
            muted.remove(kind)
            return
        }
        guard muted.insert(kind).inserted else { return }
        switch kind {
        case .audio: sound.pause()
        case .video: pictures.pause()
        }
    }

    var video: Producer? { encodings.isEmpty ? nil : encodings[best].producer }

    /// The largest encoding of at most so many pixels in height, or the smallest that comes. 0: no bound.
    func video(within height: Int, now: MediaTime) -> Producer? {
        guard height > 0 else { return video }
        let active = encodings.map(\.producer).filter { $0.isActive(now: now) }
        let fitting = active.last { (1...height).contains($0.pictureSize?.height ?? 0) }
        return fitting ?? active.first ?? encodings.first?.producer
    }

    func producer(_ kind: MediaKind) -> Producer? { kind == .audio ? audio : video }

    var producers: [Producer] { (audio.map { [$0] } ?? []) + encodings.map(\.producer) }

    /// A packet that has come, as taps see it; nil where they see another encoding.
    /// - Parameter canStart: a decoder can begin with it.
    func join(_ packet: TapPacket, canStart: Bool, of producer: Producer) -> TapPacket? {
        switch producer.kind {
        case .audio: sound.join(packet, canStart: canStart, of: producer, wanted: audio)
        case .video: pictures.join(packet, canStart: canStart, of: producer, wanted: video)
        }
    }

    /// A packet of video that came before, as taps would have seen it.
    func replayed(_ packet: TapPacket, of producer: Producer) -> TapPacket? { pictures.replay(packet, of: producer) }

    /// A producer has ended, or what comes of it from now on has numbers and timestamps of its own.
    func interruptTaps(of producer: Producer) {
        switch producer.kind {
        case .audio: sound.interrupt(producer)
        case .video: pictures.interrupt(producer)
        }
    }

    /// Forgets taps that are closed. Where there are none, what the next sees goes on from nothing.
    func dropClosedTaps() {
        taps.removeAll { $0.isClosed }
        guard taps.isEmpty else { return }
        sound = TapJoin(.audio)
        pictures = TapJoin(.video)
    }

    /// - Parameter position: among the encodings that there are by now.
    func insert(_ encoding: Encoding, at position: Int) {
        encodings.insert(encoding, at: position)
        best = encodings.count - 1
    }

    /// Whether encodings came, went, stopped or changed by a quarter since this was asked last.
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

    /// The audio or one encoding is no more.
    func remove(_ producer: Producer) {
        interruptTaps(of: producer)
        if audio === producer { audio = nil }
        encodings.removeAll { $0.producer === producer }
        best = max(0, encodings.count - 1)
        bytesAtReport[producer.tag] = nil
        bitrate[producer.tag] = nil
    }

    /// Puts the encodings in the order of their sizes, once those are known, and looks which have stopped.
    /// - Returns: true where `video` is another one now.
    func chooseBest(now: MediaTime) -> Bool {
        let before = video
        let sizes = encodings.compactMap { $0.producer.pictureSize?.height }
        if sizes.count == encodings.count, zip(sizes, sizes.dropFirst()).contains(where: { $0 > $1 }) {
            encodings.sort { $0.producer.pictureSize?.height ?? 0 < $1.producer.pictureSize?.height ?? 0 }
        }
        best =
            encodings.lastIndex { now - $0.producer.lastArrival < Self.encodingTimeout } ?? max(0, encodings.count - 1)
        return video !== before
    }
}

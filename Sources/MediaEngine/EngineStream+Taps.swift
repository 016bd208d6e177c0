import Forwarding
import MediaBase

/// Taps of a stream.
extension EngineStream {
    var hasTaps: Bool { !taps.isEmpty || !choosingTaps.isEmpty }

    /// Number of taps that neither side has closed.
    var openTaps: Int { taps.count { !$0.isClosed } + choosingTaps.count { !$0.tap.isClosed } }

    /// Adds a tap, which begins with the cached video since the last key frame.
    /// - Parameters:
    ///   - chooses: whether its reader chooses the encoding.
    ///   - replays: whether it takes video.
    /// - Returns: the number of packets that the tap dropped.
    func add(_ tap: PacketTap, chooses: Bool, replays: Bool, now: MediaTime) -> UInt64 {
        guard chooses else {
            taps.append(tap)
            return replays ? video.map { run.replay($0, to: tap) } ?? 0 : 0
        }
        let choosing = ChoosingTap(tap)
        choose(for: choosing, now: now)
        choosingTaps.append(choosing)
        return replays ? choosing.replay() : 0
    }

    /// Chooses the encodings of the taps whose readers do so.
    /// - Returns: the encodings whose key frames taps wait for.
    func chooseForTaps(now: MediaTime) -> [Producer] {
        for choosing in choosingTaps { choose(for: choosing, now: now) }
        return choosingTaps.compactMap(\.awaited)
    }

    func choose(for choosing: ChoosingTap, now: MediaTime) {
        choosing.choose(
            among: encodings.map { encoding in
                let producer = encoding.producer
                let arrives =
                    !producer.isWithheld(now: now)
                    && (producer.packets > 0 && now - producer.lastArrival < Self.encodingTimeout
                        || producer.isAnnounced(now: now))
                let rate =
                    arrives ? producer.measured(now: now).bitrates.last ?? Bitrate(rawValue: 0) : Bitrate(rawValue: 0)
                return (producer, rate)
            }, best: video)
    }

    /// Returns the encoding that a tap waits for or gets; nil for a tap that this stream does not have.
    func encoding(of tap: PacketTap) -> Producer? { choosingTaps.first { $0.tap === tap }?.wanted }

    func pauseTaps(_ kind: MediaKind) {
        run.pause(kind)
        for choosing in choosingTaps { choosing.pause(kind) }
    }

    /// Ends the taps' run of a producer's packets, because the producer ended or continues with new sequence numbers and timestamps.
    func interruptTaps(of producer: Producer) {
        run.interrupt(producer)
        for choosing in choosingTaps { choosing.interrupt(producer) }
    }

    /// Removes closed taps. If none are left, the next tap's sequence numbers and timestamps do not continue those of earlier taps.
    func dropClosedTaps() {
        taps.removeAll { $0.isClosed }
        choosingTaps.removeAll { $0.tap.isClosed }
        if taps.isEmpty { run = TapRun() }
    }

    func closeTaps() {
        for tap in taps { tap.close() }
        for choosing in choosingTaps { choosing.tap.close() }
    }
}

import Forwarding
import MediaBase

/// Tap whose reader chooses the encoding of simulcast. It has a run of its own.
final class ChoosingTap {
    let tap: PacketTap
    private var run = TapRun()
    /// Encoding that the tap gets, from its next key frame on if it gets another one now.
    private(set) var wanted: Producer?
    /// Whether packets of `wanted` arrive.
    private var arrives = false

    init(_ tap: PacketTap) { self.tap = tap }

    /// Copies a packet into the tap if it belongs to the tap's run.
    /// - Parameters:
    ///   - canStart: whether a decoder can start with the packet.
    ///   - audio: audio of the stream.
    /// - Returns: false if the tap dropped the packet.
    func push(_ packet: TapPacket, canStart: Bool, of producer: Producer, audio: Producer?) -> Bool {
        let wanted = producer.kind == .audio ? audio : wanted
        guard let packet = run.join(packet, canStart: canStart, of: producer, wanted: wanted) else { return true }
        return tap.push(packet)
    }

    /// Replays cached video.
    /// - Returns: the number of packets that the tap dropped.
    func replay() -> UInt64 { wanted.map { run.replay($0, to: tap) } ?? 0 }

    func interrupt(_ producer: Producer) { run.interrupt(producer) }

    func pause(_ kind: MediaKind) { run.pause(kind) }

    /// Chooses the encoding by the reader's limit.
    /// - Parameters:
    ///   - encodings: from the smallest to the largest, with their bit rates; 0 if no packets arrive.
    ///   - best: encoding of taps that cannot choose.
    func choose(among encodings: [(producer: Producer, bitrate: Bitrate)], best: Producer?) {
        tap.choice.note(encodings.map(\.bitrate))
        let maximum = tap.maximumEncoding
        let active = encodings.indices.filter { encodings[$0].bitrate.rawValue > 0 }
        if maximum < encodings.count - 1, let index = active.last(where: { $0 <= maximum }) ?? active.first {
            wanted = encodings[index].producer
        } else {
            wanted = best
        }
        arrives = active.contains { encodings[$0].producer === wanted }
    }

    /// Returns whether the tap gets an encoding, or will get it.
    func takes(_ producer: Producer) -> Bool {
        (wanted === producer || run.shows(producer)) && tap.wants(.video)
    }

    /// Encoding whose key frame the tap waits for; nil if it gets the chosen encoding, or if no packets of that arrive.
    var awaited: Producer? { wanted.flatMap { !arrives || run.shows($0) || $0.isMuted ? nil : $0 } }
}

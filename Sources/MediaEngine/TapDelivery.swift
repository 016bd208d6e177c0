import Forwarding
import MediaBase
import RTP

/// Copies received packets into the taps of their streams, and wakes the taps' readers once in each turn of the worker.
struct TapDelivery: ~Copyable {
    /// Taps that received packets in this turn. A tap is repeated for each packet.
    private var pushed: ContiguousArray<PacketTap> = []

    init() { pushed.reserveCapacity(64) }

    /// Copies a packet into the taps that take its kind.
    mutating func push(
        _ slot: UnsafeMutablePointer<StoredPacket>, _ payload: UnsafeRawBufferPointer,
        of track: UnsafeMutablePointer<InboundTrack>, _ producer: Producer, _ counters: inout EngineCounters
    ) {
        track.pointee.stream._withUnsafeGuaranteedRef { stream in
            let canStart = producer.kind == .audio || slot.pointee.flags.contains(.keyFrameStart)
            let received = TapPacket(slot.pointee, payload, of: producer)
            for choosing in stream.choosingTaps where choosing.tap.wants(producer.kind) {
                if !choosing.push(received, canStart: canStart, of: producer, audio: stream.audio) {
                    counters.droppedTap &+= 1
                }
                pushed.append(choosing.tap)
            }
            guard !stream.taps.isEmpty,
                let packet = stream.run.join(
                    received, canStart: canStart, of: producer, wanted: stream.producer(producer.kind))
            else { return }
            for tap in stream.taps where tap.wants(producer.kind) {
                if !tap.push(packet) { counters.droppedTap &+= 1 }
                pushed.append(tap)
            }
        }
    }

    /// Wakes the readers of the taps that received packets.
    mutating func flush() {
        guard !pushed.isEmpty else { return }
        for tap in pushed { tap.flush() }
        pushed.removeAll(keepingCapacity: true)
    }
}

import MediaBase
import MillraceTestKit
import RTP

/// A publisher of video in three temporal layers that records the references of each frame.
struct LayeredSource {
    struct Frame {
        var number: Int
        var layer: UInt8
        var isKey: Bool
        /// Numbers of the frames that this frame refers to.
        var references: [Int]
        var packets: [SourcePacket]
        var at: MediaTime
    }

    var source: SyntheticSource
    private(set) var frames: [Frame] = []
    /// Number of the frame of each packet.
    private(set) var frameOf: [Int64: Int] = [:]
    /// Number of the last frame of each layer since the last key frame.
    private var last: [Int?] = [nil, nil, nil]
    private var step = 0
    private var random: SeededGenerator

    init(_ source: SyntheticSource, seed: UInt64) {
        self.source = source
        random = SeededGenerator(seed: seed &* 31 &+ 7)
    }

    /// Returns the next frame: layers 0 2 1 2. A frame above the base layer refers to the last frame of each lower layer, and also to the
    /// last frame of its own layer unless it is a layer switching point.
    mutating func frame(isKey: Bool, packets: Int? = nil, now: MediaTime = .zero) -> [SourcePacket] {
        if isKey { step = 0 }
        let layer: UInt8 = isKey ? 0 : [0, 2, 1, 2][step % 4]
        step += 1
        let isSync = layer > 0 && (random.below(3) == 0 || last[Int(layer)] == nil)
        var references: [Int] = []
        if !isKey {
            references = [last[0] ?? 0]
            if layer > 0, !isSync {
                for lower in 1...Int(layer) { if let one = last[lower] { references.append(one) } }
            }
        }
        if isKey { last = [nil, nil, nil] }
        let made = source.frame(
            isKey: isKey, packets: packets ?? 1 + random.below(4), sizes: [200 + random.below(300)], layer: layer,
            isSync: isSync)
        last[Int(layer)] = frames.count
        for packet in made { frameOf[packet.index] = frames.count }
        frames.append(
            Frame(
                number: frames.count, layer: layer, isKey: isKey, references: references, packets: made, at: now))
        return made
    }
}

/// The frames that a subscriber can put together from the received packets.
struct ViewedFrames {
    struct Frame {
        var source: UInt32
        var number: Int
        var packets: [ViewedPacket]
        var isWhole: Bool
    }

    /// In order of their sequence numbers.
    private(set) var frames: [Frame] = []

    init(_ packets: [ViewedPacket], of sources: [UInt32: LayeredSource]) throws {
        for packet in packets.sorted(by: { $0.sequence < $1.sequence }) {
            guard let source = sources[packet.sourceID], let number = source.frameOf[packet.index] else {
                throw NoSuchFrame(packet: packet)
            }
            if frames.last?.source != packet.sourceID || frames.last?.number != number {
                frames.append(Frame(source: packet.sourceID, number: number, packets: [], isWhole: false))
            }
            frames[frames.count - 1].packets.append(packet)
        }
        for i in frames.indices {
            guard let made = sources[frames[i].source]?.frames[frames[i].number] else { continue }
            frames[i].isWhole = Set(frames[i].packets.map(\.index)) == Set(made.packets.map(\.index))
        }
    }

    struct NoSuchFrame: Error { var packet: ViewedPacket }
}

package import Codecs
package import MediaBase
package import MediaEngine

/// From the packets of one Opus track to sound without holes: 48 kHz stereo whose sample count follows the RTP
/// timestamps (RFC 7587 section 4.1). A lost packet is rebuilt from the next one's redundancy or concealed; what is
/// longer than a guess is worth becomes silence. Sans-IO: `insert` and `handleTimeout`, then `nextBlock` until nil.
/// Belongs to one thread at a time.
package final class AudioCanvas {
    package static let channels = 2
    /// Concealment fades within this; the rest of a gap is silence.
    static let maximumConcealment = 5760
    /// A longer gap in the time line is not filled: blocks go on at their new time. Nor is a jump of RTP time that arrival does not
    /// explain (`TimeJumpDetector`), whatever its size.
    static let maximumFill = 10 * PCMBlock.sampleRate
    /// Samples a channel of the longest block of silence; longer fills are several blocks, each made when it is asked for.
    static let maximumSilence = PCMBlock.sampleRate

    private struct Packet {
        var timestamp: Int64
        var arrival: MediaTime
        var payload: [UInt8]
        /// Packets before it never came.
        var followsLoss = false
    }

    /// Decoded audio that has not been given out.
    private struct Piece {
        var timestamp: Int64
        var arrival: MediaTime
        var content: Content
    }

    private enum Content {
        case samples([Int16])
        /// Samples a channel.
        case silence(Int64)
    }

    private let decoder: OpusDecoder
    private let maximumWait: MediaTime
    private let capacity: Int
    private var waiting: [Int64: Packet] = [:]
    private var next: Int64?
    private var holeSince: MediaTime?
    private var ready: [Packet] = []
    private var firstReady = 0
    /// Timestamp of the first sample that is not out yet.
    private var position: Int64?
    /// Decoded pieces of one packet and of the gap before it.
    private var pieces: [Piece] = []
    private var jumps: TimeJumpDetector?

    package private(set) var lostPackets: UInt64 = 0
    /// Packets that came after their place was given up, or twice.
    package private(set) var lateOrDuplicatePackets: UInt64 = 0
    package private(set) var decodeErrors: UInt64 = 0
    /// Samples a channel that were rebuilt or guessed.
    package private(set) var concealedSamples: UInt64 = 0
    /// Samples a channel of silence put into gaps.
    package private(set) var silentSamples: UInt64 = 0
    /// Jumps of RTP time, each of which restarted the time line without a fill.
    package private(set) var restarts: UInt64 = 0

    /// Bytes of packets and of decoded audio that have not been given out.
    package var heldBytes: Int {
        let packets = waiting.values.reduce(0) { $0 + $1.payload.count }
        return pieces.reduce(packets + ready[firstReady...].reduce(0) { $0 + $1.payload.count }) { sum, piece in
            if case .samples(let samples) = piece.content { sum + samples.count * 2 } else { sum }
        }
    }

    /// - Parameters:
    ///   - maximumWait: how long a packet is waited for from when one behind it came.
    ///   - capacity: packets that may wait behind a hole.
    package init(maximumWait: MediaTime = .milliseconds(80), capacity: Int = 128) throws(CodecError) {
        decoder = try OpusDecoder(channels: Self.channels)
        self.maximumWait = maximumWait
        self.capacity = capacity
    }

    package func insert(_ packet: borrowing TapPacket) {
        let sequence = packet.sequence
        let expected = next ?? sequence
        next = expected
        guard sequence >= expected, waiting[sequence] == nil else {
            lateOrDuplicatePackets &+= 1
            return
        }
        waiting[sequence] = Packet(
            timestamp: packet.timestamp, arrival: packet.arrival, payload: Array(packet.payload))
        drain()
        while waiting.count > capacity { giveUpHole() }
    }

    /// Gives up a packet that has been waited for long enough.
    package func handleTimeout(now: MediaTime) {
        while let since = holeSince, now - since >= maximumWait { giveUpHole() }
    }

    /// When `handleTimeout` is due; nil when no packet is waited for.
    package var nextTimeout: MediaTime? { holeSince.map { $0 + maximumWait } }

    /// Nothing more will come: gives up what is waited for.
    package func flush() {
        while !waiting.isEmpty { giveUpHole() }
    }

    /// Decodes one packet at a time, and makes silence when it is asked for, so that a long gap takes no memory.
    package func nextBlock(_ clock: CaptureClock) -> PCMBlock? {
        while pieces.isEmpty {
            guard firstReady < ready.count else {
                ready.removeAll(keepingCapacity: true)
                firstReady = 0
                return nil
            }
            firstReady += 1
            decode(ready[firstReady - 1])
        }
        let piece = pieces[0]
        let time = clock.captureTime(.audio, timestamp: piece.timestamp, arrival: piece.arrival)
        switch piece.content {
        case .samples(let samples):
            pieces.removeFirst()
            return PCMBlock(channels: Self.channels, samples: samples, captureTime: time)
        case .silence(let total):
            let count = min(total, Int64(Self.maximumSilence))
            if count == total {
                pieces.removeFirst()
            } else {
                pieces[0].timestamp += count
                pieces[0].content = .silence(total - count)
            }
            return PCMBlock(
                channels: Self.channels, samples: Array(repeating: 0, count: Int(count) * Self.channels),
                captureTime: time)
        }
    }

    // MARK: order

    private func drain(followsLoss: Bool = false) {
        guard var sequence = next else { return }
        let from = sequence
        var isAfterLoss = followsLoss
        while var packet = waiting.removeValue(forKey: sequence) {
            packet.followsLoss = isAfterLoss
            isAfterLoss = false
            ready.append(packet)
            sequence += 1
        }
        next = sequence
        if waiting.isEmpty {
            holeSince = nil
        } else if holeSince == nil || sequence != from {
            holeSince = waiting.values.map(\.arrival).min()
        }
    }

    private func giveUpHole() {
        holeSince = nil
        guard let first = next, let behind = waiting.keys.min() else { return }
        lostPackets &+= UInt64(clamping: behind &- first)
        next = behind
        drain(followsLoss: true)
    }

    // MARK: sound

    private func decode(_ packet: Packet) {
        // A payload of padding only.
        if packet.payload.isEmpty { return }
        guard let info = try? OpusPacketInfo(packet.payload) else {
            // Its place is filled when the next one comes.
            decodeErrors &+= 1
            return
        }
        let isJump = jumps?.note(ticks: packet.timestamp, arrival: packet.arrival) ?? false
        if jumps == nil { jumps = TimeJumpDetector(.audio, ticks: packet.timestamp, arrival: packet.arrival) }
        if isJump {
            restarts &+= 1
            position = packet.timestamp
            decoder.reset()
        } else {
            fillGap(before: packet)
        }
        let start = position ?? packet.timestamp
        guard packet.timestamp >= start else {
            lateOrDuplicatePackets &+= 1
            return
        }
        do {
            append(try decoder.decode(packet.payload), at: packet.timestamp, of: packet)
        } catch {
            decodeErrors &+= 1
            append(silence: Int64(info.frameCount), at: packet.timestamp, of: packet)
        }
    }

    /// Brings `position` up to the packet's timestamp, or gives the time line up where the two are too far apart.
    private func fillGap(before packet: Packet) {
        guard let start = position else { return }
        let (gap, overflow) = packet.timestamp.subtractingReportingOverflow(start)
        guard !overflow, gap > -Int64(PCMBlock.sampleRate), gap <= Int64(Self.maximumFill) else {
            position = packet.timestamp
            decoder.reset()
            return
        }
        guard gap > 0 else { return }
        // What the packet's redundancy may hold is right before the packet; silence, if any, comes between guess and
        // truth.
        let whole = Int(gap) / 120 * 120
        let rebuilt = packet.followsLoss ? min(whole, decoder.lastFrameCount) : 0
        let guessed = min(whole - rebuilt, Self.maximumConcealment)
        if guessed > 0, let block = try? decoder.decode(nil, frameCount: guessed) {
            concealedSamples &+= UInt64(guessed)
            append(block, at: start, of: packet)
        }
        let at = position ?? start
        let silentEnd = packet.timestamp - Int64(rebuilt)
        if at < silentEnd { append(silence: silentEnd - at, at: at, of: packet) }
        if rebuilt > 0, let block = try? decoder.decode(packet.payload, fec: true, frameCount: rebuilt) {
            concealedSamples &+= UInt64(rebuilt)
            append(block, at: silentEnd, of: packet)
        }
    }

    private func append(_ block: PCMBlock, at timestamp: Int64, of packet: Packet) {
        pieces.append(Piece(timestamp: timestamp, arrival: packet.arrival, content: .samples(block.samples)))
        position = timestamp + Int64(block.frameCount)
    }

    /// - Parameter count: samples a channel.
    private func append(silence count: Int64, at timestamp: Int64, of packet: Packet) {
        silentSamples &+= UInt64(count)
        pieces.append(Piece(timestamp: timestamp, arrival: packet.arrival, content: .silence(count)))
        position = timestamp + count
    }
}

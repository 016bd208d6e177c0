package import Codecs
package import MediaBase
package import MediaEngine

/// Converts the packets of one Opus track to 48 kHz stereo audio without gaps; the sample count follows the RTP
/// timestamps (RFC 7587 section 4.1). A lost packet is rebuilt from the next one's redundancy or concealed; the rest of
/// a longer gap becomes silence. Sans-IO: call `insert` and `handleTimeout`, then `nextBlock` until it returns nil.
/// Must be used by one thread at a time.
package final class AudioCanvas {
    package static let channels = 2
    /// Longest concealment, after which it has faded out; the rest of a gap is silence.
    static let maximumConcealment = 5760
    /// Longest gap that is filled; after a longer one, blocks continue at their new time. A jump of RTP time that
    /// arrival does not explain (`TimeJumpDetector`) is never filled.
    static let maximumFill = 10 * PCMBlock.sampleRate
    /// Samples per channel of the longest block of silence. A longer gap becomes several blocks, each made on request.
    static let maximumSilence = PCMBlock.sampleRate

    private struct Packet {
        var timestamp: Int64
        var arrival: MediaTime
        var payload: [UInt8]
        /// Whether packets before this one were lost.
        var followsLoss = false
    }

    /// Decoded audio that has not been returned.
    private struct Piece {
        var timestamp: Int64
        var arrival: MediaTime
        var content: Content
    }

    private enum Content {
        case samples([Int16])
        /// Number of samples per channel.
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
    /// Timestamp of the next sample to return.
    private var position: Int64?
    /// Decoded pieces of one packet and of the gap before it.
    private var pieces: [Piece] = []
    private var jumps: TimeJumpDetector?

    package private(set) var lostPackets: UInt64 = 0
    /// Packets that arrived twice, or after they were given up.
    package private(set) var lateOrDuplicatePackets: UInt64 = 0
    package private(set) var decodeErrors: UInt64 = 0
    /// Samples per channel that were rebuilt or concealed.
    package private(set) var concealedSamples: UInt64 = 0
    /// Samples per channel of silence in gaps.
    package private(set) var silentSamples: UInt64 = 0
    /// Jumps of RTP time, each of which restarted the timeline without filling the gap.
    package private(set) var restarts: UInt64 = 0

    /// Bytes of packets and of decoded audio that have not been returned.
    package var heldBytes: Int {
        let packets = waiting.values.reduce(0) { $0 + $1.payload.count }
        return pieces.reduce(packets + ready[firstReady...].reduce(0) { $0 + $1.payload.count }) { sum, piece in
            if case .samples(let samples) = piece.content { sum + samples.count * 2 } else { sum }
        }
    }

    /// - Parameters:
    ///   - maximumWait: time to wait for a missing packet after a later one has arrived.
    ///   - capacity: maximum number of packets after a gap.
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

    /// Gives up missing packets whose wait is over.
    package func handleTimeout(now: MediaTime) {
        while let since = holeSince, now - since >= maximumWait { giveUpHole() }
    }

    /// Time when `handleTimeout` is due; nil if no packet is missing.
    package var nextTimeout: MediaTime? { holeSince.map { $0 + maximumWait } }

    /// Gives up all missing packets at the end of the stream.
    package func flush() {
        while !waiting.isEmpty { giveUpHole() }
    }

    /// Returns the next block. Decodes one packet at a time and makes silence on request, so that a long gap needs no
    /// memory.
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

    // MARK: audio

    private func decode(_ packet: Packet) {
        // The payload is padding only.
        if packet.payload.isEmpty { return }
        guard let info = try? OpusPacketInfo(packet.payload) else {
            // The gap is filled when the next packet is decoded.
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

    /// Fills the gap before a packet, or restarts the timeline if the gap is too long.
    private func fillGap(before packet: Packet) {
        guard let start = position else { return }
        let (gap, overflow) = packet.timestamp.subtractingReportingOverflow(start)
        guard !overflow, gap > -Int64(PCMBlock.sampleRate), gap <= Int64(Self.maximumFill) else {
            position = packet.timestamp
            decoder.reset()
            return
        }
        guard gap > 0 else { return }
        // The packet's redundancy covers the time directly before it. Silence, if any, lies between the concealment and
        // the rebuilt audio.
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

    /// - Parameter count: number of samples per channel.
    private func append(silence count: Int64, at timestamp: Int64, of packet: Packet) {
        silentSamples &+= UInt64(count)
        pieces.append(Piece(timestamp: timestamp, arrival: packet.arrival, content: .silence(count)))
        position = timestamp + count
    }
}

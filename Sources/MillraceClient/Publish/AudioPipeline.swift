import Codecs
import Dispatch
import Foundation
import MediaBase
import NIOConcurrencyHelpers

/// Splits a publisher's audio into packets and encodes it on its own queue.
final class AudioPipeline: Sendable {
    /// Maximum amount of audio waiting to be encoded; further blocks are dropped and counted.
    static let limit = MediaTime.milliseconds(500)

    private struct State {
        var waiting = MediaTime.zero
        var isPaused = true
        var dropped: UInt64 = 0
        var encoded: UInt64 = 0
    }

    private let settings: PublisherSettings.Audio
    private let queue = DispatchQueue(label: "millrace.audio", qos: .userInteractive)
    private let state = NIOLockedValueBox(State())
    /// Accessed only on `queue`.
    nonisolated(unsafe) private var encoder: OpusEncoder?
    nonisolated(unsafe) private var samples: [Int16] = []
    /// Time of the first of `samples`.
    nonisolated(unsafe) private var start: MediaTime?
    private let output: @Sendable (EncodedMedia) -> Void
    private let failure: @Sendable (CodecError) -> Void

    init(
        _ settings: PublisherSettings.Audio, output: @escaping @Sendable (EncodedMedia) -> Void,
        failure: @escaping @Sendable (CodecError) -> Void
    ) {
        self.settings = settings
        self.output = output
        self.failure = failure
    }

    var encoded: UInt64 { state.withLockedValue { $0.encoded } }
    var dropped: UInt64 { state.withLockedValue { $0.dropped } }

    func setPaused(_ isPaused: Bool) { state.withLockedValue { $0.isPaused = isPaused } }

    /// - Parameter time: time of the first sample, on the client's clock.
    func push(_ block: PCMBlock, time: MediaTime) {
        let isTaken = state.withLockedValue { state in
            guard !state.isPaused else { return false }
            guard state.waiting < Self.limit else {
                state.dropped += 1
                return false
            }
            state.waiting += block.duration
            return true
        }
        guard isTaken else { return }
        queue.async { [self] in
            state.withLockedValue { $0.waiting = $0.waiting - block.duration }
            do throws(CodecError) { try encode(block, time) } catch { failure(error) }
        }
    }

    private func encode(_ block: PCMBlock, _ time: MediaTime) throws(CodecError) {
        let encoder = try openEncoder()
        let channels = settings.channels
        // Time advances by the number of samples; only a difference of more than 100 ms counts as a gap and
        // resets it.
        let expected = start.map { $0 + Self.duration(samples.count / channels) }
        if expected.map({ abs((time - $0).rawValue) > 100_000_000 }) ?? true {
            samples.removeAll(keepingCapacity: true)
            start = time
        }
        append(block)
        let size = encoder.frameDuration.frameCount * channels
        while samples.count >= size, let first = start {
            let part = Array(samples[..<size])
            samples.removeFirst(size)
            start = first + Self.duration(size / channels)
            let bytes = try encoder.encode(PCMBlock(channels: channels, samples: part))
            state.withLockedValue { $0.encoded += 1 }
            // With DTX, packets of at most 2 bytes contain silence and are not sent (RFC 7587 section 3.1.3).
            if settings.dtx, bytes.count <= 2 { continue }
            output(.audio(bytes: bytes, level: Self.level(part), time: first))
        }
    }

    private func openEncoder() throws(CodecError) -> OpusEncoder {
        if let encoder { return encoder }
        let made = try OpusEncoder(
            channels: settings.channels, application: settings.application, bitrate: settings.bitrate,
            fec: settings.fec, expectedLoss: settings.fec ? 10 : 0, dtx: settings.dtx)
        encoder = made
        return made
    }

    private func append(_ block: PCMBlock) {
        switch (block.channels, settings.channels) {
        case (1, 2): for sample in block.samples { samples += [sample, sample] }
        case (2, 1):
            for index in stride(from: 0, to: block.samples.count - 1, by: 2) {
                samples.append(Int16((Int32(block.samples[index]) + Int32(block.samples[index + 1])) / 2))
            }
        default: samples += block.samples
        }
    }

    /// Returns the audio level (RFC 6465 section 3): the RMS in -dBov, where 0 dBov is a full-scale square
    /// wave.
    private static func level(_ samples: [Int16]) -> UInt8 {
        let energy = samples.reduce(0.0) { $0 + Double($1) * Double($1) } / Double(max(1, samples.count))
        guard energy > 0 else { return 127 }
        return UInt8(min(127, max(0, -10 * log10(energy / (32_768.0 * 32_768.0)))))
    }

    private static func duration(_ samples: Int) -> MediaTime {
        .nanoseconds(Int64(samples) * 1_000_000_000 / Int64(PCMBlock.sampleRate))
    }
}

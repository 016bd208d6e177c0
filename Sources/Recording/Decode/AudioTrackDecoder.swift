import Codecs
import MediaBase

/// Decodes the audio of a recording into continuous samples from the file's time zero. Gaps are concealed for up to 60
/// ms, then filled with silence, so that audio stays aligned with video.
struct AudioTrackDecoder {
    private let decoder: OpusDecoder
    private let channels: Int
    private var preSkip: Int
    private(set) var report = DecodeReport.Audio()
    private(set) var errors: [String] = []
    /// Position of the next sample on the file's timeline, at 48 kHz. Exceeds the number of written samples after a
    /// pause that is too long to fill.
    private var position: Int64 = 0
    private var hasBegun = false

    /// Largest difference that is not a gap, 15 ms: times in files are rounded to milliseconds, and RTP clocks drift.
    private static let tolerance: Int64 = 720
    /// Longest concealment, 60 ms; libopus's concealment degrades after that.
    private static let concealment: Int64 = 2_880
    /// Longest pause that is filled with silence, one hour. A longer one comes from a damaged timestamp.
    private static let longestSilence: Int64 = 48_000 * 3_600
    /// Maximum silence in one file, so that a damaged file with many wrong times cannot fill the disk.
    private static let allSilence: Int64 = 12 * longestSilence

    init(_ audio: EncodedFile.Audio) throws(CodecError) {
        decoder = try OpusDecoder(channels: audio.channels)
        channels = audio.channels
        preSkip = audio.preSkip
        report.channels = audio.channels
    }

    mutating func decode(_ packet: EncodedPacket, to consumers: [any DecodedMediaConsumer]) throws(DecodeError) {
        report.packets += 1
        let time = packet.time.seconds * 48_000
        guard time > -1e12, time < 1e12 else { return fail(packet, "a time out of range") }
        var start = Int64(time.rounded())
        if !hasBegun {
            hasBegun = true
            // The decoder's first pre-skip samples are its startup delay and are dropped.
            let heardFrom = max(0, start + Int64(preSkip))
            report.start = Double(heardFrom) / 48_000
            if heardFrom <= Self.longestSilence { try silence(heardFrom, consumers) }
            position = start
        }
        if start - position > min(Self.longestSilence, Self.allSilence - report.silent) {
            fail(packet, "a pause of more than an hour")
            start = position
        }
        try fill(until: start, consumers)
        let block: PCMBlock
        do throws(CodecError) {
            block = try decoder.decode(packet.bytes)
        } catch {
            // The resulting gap is filled when the next packet is decoded.
            return fail(packet, error.description)
        }
        // Samples before `position` were already written.
        let overlap = position - start > Self.tolerance ? position - start : 0
        try emit(block, dropping: Int(min(overlap, Int64(block.frameCount))), trimEnd: packet.trimEnd, consumers)
        report.end = Double(position) / 48_000
    }

    private mutating func fail(_ packet: EncodedPacket, _ why: String) {
        report.errors += 1
        if errors.count < 64 { errors.append("audio at byte \(packet.position), \(packet.time): \(why)") }
    }

    private mutating func fill(
        until start: Int64, _ consumers: [any DecodedMediaConsumer]
    ) throws(DecodeError) {
        var missing = start - position
        guard missing > Self.tolerance else { return }
        if report.samples > 0 {
            report.gapCount += 1
            if report.gaps.count < DecodeReport.listedGaps {
                report.gaps.append(
                    DecodeReport.Gap(at: Double(position) / 48_000, duration: Double(missing) / 48_000))
            }
            // libopus conceals multiples of 2.5 ms.
            let made = min(missing, Self.concealment) / 120 * 120
            if let block = try? decoder.decode(nil, frameCount: Int(made)) {
                try emit(block, dropping: 0, trimEnd: 0, consumers)
                report.concealed += made
                missing -= made
            }
        }
        try silence(missing, consumers)
        position += missing
    }

    private mutating func silence(
        _ samples: Int64, _ consumers: [any DecodedMediaConsumer]
    ) throws(DecodeError) {
        var missing = samples
        while missing > 0 {
            let count = min(missing, 48_000)
            let block = PCMBlock(channels: channels, samples: [Int16](repeating: 0, count: Int(count) * channels))
            for consumer in consumers { try consumer.take(block) }
            missing -= count
        }
        report.silent += samples
        report.samples += samples
    }

    private mutating func emit(
        _ block: PCMBlock, dropping: Int, trimEnd: Int, _ consumers: [any DecodedMediaConsumer]
    ) throws(DecodeError) {
        position += Int64(block.frameCount - dropping)
        var from = dropping
        if preSkip > 0 {
            let skipped = min(preSkip, block.frameCount - from)
            from += skipped
            preSkip -= skipped
        }
        let to = max(from, block.frameCount - max(0, trimEnd))
        guard from < to else { return }
        let part =
            from == 0 && to == block.frameCount
            ? block : PCMBlock(channels: channels, samples: Array(block.samples[from * channels..<to * channels]))
        report.samples += Int64(part.frameCount)
        for consumer in consumers { try consumer.take(part) }
    }
}

import ArgumentParser
import CLinuxNet
import CallCounter
import Foundation
import MediaBase
import SFrame

struct SFrameCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sframe",
        abstract: "Counts heap allocations per frame that is sealed and opened for end-to-end encryption.",
        discussion: """
            Seals and opens frames of several sizes into two buffers that are kept, as the SDK does, in each suite and for audio and \
            video. The first frames make the buffers grow and derive the keys, so they are not counted. More allocations than the limit \
            exit with 1.
            """)

    @Option(help: "Number of counted frames of each load.") var frames = 10_000
    @Option(help: "Maximum allocations per thousand frames.") var limit = 0.0
    @Flag(help: "JSON lines.") var json = false

    private struct Buffers {
        var sealed: [UInt8] = []
        var opened: [UInt8] = []
    }

    /// Frames before the count.
    private static let uncounted = 100

    func validate() throws {
        guard (1...10_000_000).contains(frames) else { throw ValidationError("--frames takes 1 to 10000000") }
    }

    func run() throws {
        // The counter watches threads with this prefix.
        millrace_thread_name("media-sframe")
        call_counter_start()
        var failed = false
        for suite in SFrameSuite.allCases {
            for kind in FrameKind.allCases {
                let allocations = try count(suite, kind)
                let each = Double(allocations) / Double(frames) * 1_000
                report(suite, kind, each)
                if each > limit { failed = true }
            }
        }
        if failed { throw ExitCode(1) }
    }

    /// Returns the allocations while `frames` frames are sealed and opened.
    private func count(_ suite: SFrameSuite, _ kind: FrameKind) throws -> UInt64 {
        let secret = try EncryptionSecret(bytes: [UInt8](repeating: 7, count: EncryptionSecret.length))
        let key = try secret.baseKey(session: "bench", connection: "sender")
        let sealer = try SFrameSealer(kind, epoch: EncryptionSecret.epoch, baseKey: key, suite: suite)
        let opener = SFrameOpener(kind, suite: suite)
        opener.add(baseKey: key, epoch: EncryptionSecret.epoch)
        let all = Self.examples(kind)
        var buffers = Buffers()
        for number in 0..<Self.uncounted {
            try Self.pass(all[number % all.count], number, sealer, opener, &buffers)
        }
        let before = call_counter_read().allocations
        for number in Self.uncounted..<Self.uncounted + frames {
            try Self.pass(all[number % all.count], number, sealer, opener, &buffers)
        }
        return call_counter_read().allocations - before
    }

    /// Seals and opens one frame.
    private static func pass(
        _ frame: [UInt8], _ number: Int, _ sealer: SFrameSealer, _ opener: SFrameOpener, _ buffers: inout Buffers
    ) throws {
        try frame.withUnsafeBytes { try sealer.seal($0, into: &buffers.sealed) }
        try buffers.sealed.withUnsafeBytes {
            try opener.open($0, into: &buffers.opened, at: .milliseconds(Int64(number)))
        }
        guard buffers.opened == frame else { throw BenchError("frame \(number) was opened with other bytes") }
    }

    /// Frames of 60 to 60,000 bytes. The first byte of a VP8 frame tells whether it is a key frame, which has a longer clear prefix.
    private static func examples(_ kind: FrameKind) -> [[UInt8]] {
        (kind == .opus ? [60, 120, 400] : [60_000, 900, 3_000, 12_000]).enumerated().map { index, size in
            (0..<size).map { $0 == 0 ? (index == 0 ? 0x10 : 0x11) : UInt8(truncatingIfNeeded: $0 * 31 + index) }
        }
    }

    private func report(_ suite: SFrameSuite, _ kind: FrameKind, _ each: Double) {
        if json {
            print("{\"suite\":\"\(suite)\",\"kind\":\"\(kind)\",\"frames\":\(frames),\"allocations_per_1000\":\(each)}")
        } else {
            let text = String(format: "%.3f", each)
            print("\(suite) \(kind): \(text) allocations per 1000 of \(frames) sealed and opened frames")
        }
    }
}

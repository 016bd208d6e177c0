import Foundation
import Recording

/// Line on standard error that shows the progress of decoding; nil if standard error is not a terminal.
struct ProgressBar {
    private static let width = 30
    private let name: String

    init?(name: String) {
        guard isatty(2) == 1 else { return nil }
        self.name = name
    }

    func show(_ progress: FileDecoder.Progress) {
        let share = min(1, Double(progress.bytes) / Double(max(1, progress.totalBytes)))
        let full = Int(share * Double(Self.width))
        let bar = String(repeating: "#", count: full) + String(repeating: ".", count: Self.width - full)
        let line =
            "\(name) [\(bar)] \(Int(share * 100)) %, \(progress.frames) frames, \(Int(progress.time.seconds)) s"
        write("\r\u{1b}[K" + line)
    }

    func clear() { write("\r\u{1b}[K") }

    private func write(_ text: String) { try? FileHandle.standardError.write(contentsOf: Data(text.utf8)) }
}

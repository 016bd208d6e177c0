import Foundation

/// Lines of `--md5`: written to standard output in large pieces, or kept for the JSON.
final class FingerprintLines {
    private let keeps: Bool
    private var text = ""
    private(set) var kept: [String] = []

    init(keeps: Bool) { self.keeps = keeps }

    func add(_ line: String) {
        if keeps {
            kept.append(line)
            return
        }
        text += line + "\n"
        if text.utf8.count >= 64 << 10 { flush() }
    }

    func flush() {
        guard !text.isEmpty else { return }
        // A reader that has closed, such as head, needs no more lines.
        try? FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
        text = ""
    }
}

import Foundation

/// Lines of `--md5` on their way to standard output in large writes, or kept for the JSON.
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
        // A reader that has gone, such as head, wants no more.
        try? FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
        text = ""
    }
}

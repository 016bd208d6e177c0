import Containers

/// Holds what a writer wrote until it is taken.
final class MemoryPipe: ByteSink {
    private var bytes: [UInt8] = []

    var count: Int { bytes.count }
    var canOverwrite: Bool { false }
    func write(_ bytes: UnsafeRawBufferPointer) { self.bytes.append(contentsOf: bytes) }
    func overwrite(at offset: Int64, _ bytes: UnsafeRawBufferPointer) {}
    func close() {}

    /// nil when nothing was written since the last time.
    func take() -> [UInt8]? {
        guard !bytes.isEmpty else { return nil }
        defer { bytes = [] }
        return bytes
    }
}

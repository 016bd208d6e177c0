import Containers

/// Holds written bytes until they are taken.
final class MemoryPipe: ByteSink {
    private var bytes: [UInt8] = []

    var count: Int { bytes.count }
    var canOverwrite: Bool { false }
    func write(_ bytes: UnsafeRawBufferPointer) { self.bytes.append(contentsOf: bytes) }
    func overwrite(at offset: Int64, _ bytes: UnsafeRawBufferPointer) {}
    func close() {}

    /// Returns the bytes written since the last call; nil if there are none.
    func take() -> [UInt8]? {
        guard !bytes.isEmpty else { return nil }
        defer { bytes = [] }
        return bytes
    }
}

import Containers

/// Holds written bytes until they are taken.
package final class MemoryPipe: ByteSink {
    private var bytes: [UInt8] = []

    package init() {}

    package var count: Int { bytes.count }
    package var canOverwrite: Bool { false }
    package func write(_ bytes: UnsafeRawBufferPointer) { self.bytes.append(contentsOf: bytes) }
    package func overwrite(at offset: Int64, _ bytes: UnsafeRawBufferPointer) {}
    package func close() {}

    /// Returns the bytes written since the last call; nil if there are none.
    package func take() -> [UInt8]? {
        guard !bytes.isEmpty else { return nil }
        defer { bytes = [] }
        return bytes
    }
}

import Containers

/// A disk that is full after `room` bytes: a write that does not fit completely is refused, and earlier bytes can still be changed.
final class FullSink: ByteSink {
    private let memory = MemorySink()
    private let room: Int
    private(set) var isClosed = false

    init(room: Int) { self.room = room }

    var bytes: [UInt8] { memory.bytes }
    var canOverwrite: Bool { true }

    func write(_ bytes: UnsafeRawBufferPointer) throws(ContainerError) {
        guard memory.bytes.count + bytes.count <= room else {
            throw ContainerError(.file, "disk", at: Int64(memory.bytes.count), .io(code: 28, call: "write"))
        }
        memory.write(bytes)
    }

    func overwrite(at offset: Int64, _ bytes: UnsafeRawBufferPointer) throws(ContainerError) {
        try memory.overwrite(at: offset, bytes)
    }

    func close() { isClosed = true }
}

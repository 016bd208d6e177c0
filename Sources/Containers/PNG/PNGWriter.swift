import CPNG
import Glibc
public import MediaBase

/// Encodes a frame as PNG.
public enum PNGWriter {
    /// - Parameter fast: uses weaker filters and compression, for stills that are viewed once.
    public static func encode(_ frame: I420Frame, fast: Bool = false) throws(ContainerError) -> [UInt8] {
        try encode(RGBImage(frame), fast: fast)
    }

    public static func encode(_ image: RGBImage, fast: Bool = false) throws(ContainerError) -> [UInt8] {
        var memory: UnsafeMutablePointer<UInt8>?
        var count = 0
        var message = [CChar](repeating: 0, count: 65)
        let done = image.bytes.withUnsafeBufferPointer { rgb in
            millrace_png_write(
                rgb.baseAddress, UInt32(image.width), UInt32(image.height), fast ? 1 : 0, &memory, &count, &message)
        }
        guard done == 1, let memory else {
            let why = String(decoding: message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            throw ContainerError(.png, "image", .unsupported(why))
        }
        defer { free(memory) }
        return Array(UnsafeBufferPointer(start: memory, count: count))
    }

    public static func write(_ frame: I420Frame, path: String, fast: Bool = false) throws(ContainerError) {
        let bytes = try encode(frame, fast: fast)
        let sink = try FileSink(path: path)
        try sink.write(bytes)
        try sink.close()
    }
}

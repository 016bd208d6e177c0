import Containers

/// IVF, WAV and Y4M files, distinguished by their first bytes, read to their end.
enum IVFFuzz {
    static func run(_ bytes: UnsafeRawBufferPointer) throws(FuzzViolation) {
        let bytes = Array(bytes)
        switch ContainerKind.sniff(Array(bytes.prefix(16))) {
        case .ivf: try readIVF(bytes)
        case .wav: try readWAV(bytes)
        case .y4m: try readY4M(bytes)
        default: break
        }
    }

    private static func readIVF(_ bytes: [UInt8]) throws(FuzzViolation) {
        guard let reader = try? IVFReader(source: MemorySource(bytes)) else { return }
        let sink = MemorySink()
        guard let writer = try? IVFWriter(sink: sink, header: reader.header) else { return }
        var frames: [[UInt8]] = []
        var total = 0
        while let frame = try? reader.next() {
            total += frame.bytes.count + 12
            try require(total <= bytes.count, "frames have \(total) bytes")
            _ = reader.time(of: frame)
            frames.append(frame.bytes)
            try? writer.write(timestamp: frame.timestamp, bytes: frame.bytes)
        }
        try? writer.finish()
        guard let again = try? IVFReader(source: MemorySource(sink.bytes)) else {
            throw FuzzViolation("a written file is not read")
        }
        for frame in frames {
            let read = try? again.next()
            try require(read?.bytes == frame, "a written frame is read as another")
        }
    }

    private static func readWAV(_ bytes: [UInt8]) throws(FuzzViolation) {
        guard let reader = try? WAVReader(source: MemorySource(bytes)) else { return }
        var total = 0
        while let samples = try? reader.read(frames: 480), !samples.isEmpty { total += samples.count * 2 }
        try require(total <= bytes.count, "samples have \(total) bytes")
    }

    private static func readY4M(_ bytes: [UInt8]) throws(FuzzViolation) {
        guard let reader = try? Y4MReader(source: MemorySource(bytes)) else { return }
        var total = 0
        while let frame = try? reader.next() {
            total += frame.bytes.count
            try require(total <= bytes.count, "frames have \(total) bytes")
        }
    }
}

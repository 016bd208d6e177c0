import Containers
import MediaBase

/// WebM files, read to their end.
enum WebMFuzz {
    static func run(_ bytes: UnsafeRawBufferPointer) throws(FuzzViolation) {
        guard let reader = try? WebMReader(source: MemorySource(Array(bytes))) else { return }
        try require(reader.tracks.count <= 64, "\(reader.tracks.count) tracks")
        var total = 0
        var frames = 0
        while let frame = try? reader.next() {
            total += frame.bytes.count
            frames += 1
            // After damaged data the reader may find a cluster inside a block that it has already returned.
            let passes = reader.damage.count + 1
            try require(total <= passes * bytes.count, "frames have \(total) bytes")
            // A lace of 256 empty frames needs at least one byte.
            try require(frames <= 256 * passes * bytes.count, "\(frames) frames")
            _ = frame.timestamp + (frame.duration ?? .zero) - frame.discardPadding
        }
        try require(reader.damage.notes.count <= DamageLog.capacity, "\(reader.damage.notes.count) notes")
        for note in reader.damage.notes { _ = note.description }
    }
}

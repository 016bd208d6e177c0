/// A read position in a `ByteSource` with a read buffer, for a single reader.
final class BufferedSource {
    private let source: any ByteSource
    private let buffer: UnsafeMutableRawBufferPointer
    private var start = 0
    private var end = 0
    /// Byte offset of the next unread byte.
    private(set) var position: Int64 = 0

    init(_ source: any ByteSource, capacity: Int = 256 << 10) {
        self.source = source
        buffer = .allocate(byteCount: capacity, alignment: 16)
    }

    deinit { buffer.deallocate() }

    var remaining: Int64 { max(0, source.byteCount - position) }

    func seek(to offset: Int64) {
        let target = max(0, offset)
        let delta = target - position
        if delta >= 0, delta <= Int64(end - start) {
            start += Int(delta)
        } else {
            start = 0
            end = 0
        }
        position = target
    }

    /// Returns the next `count` bytes (fewer at the end) without consuming them; valid until the next call. `count` is
    /// at most the buffer's capacity.
    func peek(_ count: Int) throws(ContainerError) -> UnsafeRawBufferPointer {
        precondition(count <= buffer.count)
        while end - start < count {
            if start > 0 {
                let kept = end - start
                if kept > 0 { memmoveBytes(to: 0, from: start, count: kept) }
                start = 0
                end = kept
            }
            let got = try source.read(
                at: position + Int64(end - start), into: UnsafeMutableRawBufferPointer(rebasing: buffer[end...]))
            if got == 0 { break }
            end += got
        }
        return UnsafeRawBufferPointer(rebasing: buffer[start..<min(end, start + count)])
    }

    /// Consumes up to `target.count` bytes; returns their number.
    func read(into target: UnsafeMutableRawBufferPointer) throws(ContainerError) -> Int {
        var done = 0
        while done < target.count {
            if start == end, target.count - done >= buffer.count {
                let got = try source.read(at: position, into: UnsafeMutableRawBufferPointer(rebasing: target[done...]))
                if got == 0 { break }
                position += Int64(got)
                done += got
                continue
            }
            let piece = try peek(start == end ? 1 : min(end - start, target.count - done))
            if piece.isEmpty { break }
            let count = min(end - start, target.count - done)
            UnsafeMutableRawBufferPointer(rebasing: target[done...]).copyMemory(
                from: UnsafeRawBufferPointer(rebasing: buffer[start..<start + count]))
            start += count
            position += Int64(count)
            done += count
        }
        return done
    }

    /// Consumes up to `count` bytes. Allocates at most the remaining size of the source, regardless of a length field.
    func bytes(_ count: Int) throws(ContainerError) -> [UInt8] {
        let wanted = Int(min(Int64(count), remaining))
        guard wanted > 0 else { return [] }
        var result = [UInt8](repeating: 0, count: wanted)
        var failure: ContainerError?
        var got = 0
        result.withUnsafeMutableBytes { target in
            do throws(ContainerError) { got = try read(into: target) } catch { failure = error }
        }
        if let failure { throw failure }
        if got < wanted { result.removeLast(wanted - got) }
        return result
    }

    /// Skips up to `count` bytes; returns their number.
    func skip(_ count: UInt64) -> UInt64 {
        let step = min(count, UInt64(remaining))
        seek(to: position + Int64(step))
        return step
    }

    /// Moves to the next occurrence of `pattern`, at the position or after it. Moves to the end and returns false if
    /// there is none.
    func find(_ pattern: [UInt8]) throws(ContainerError) -> Bool {
        while true {
            let window = try peek(buffer.count / 2)
            guard window.count >= pattern.count else {
                seek(to: position + Int64(window.count))
                return false
            }
            var index = 0
            let last = window.count - pattern.count
            while index <= last {
                if window[index] == pattern[0], (1..<pattern.count).allSatisfy({ window[index + $0] == pattern[$0] }) {
                    seek(to: position + Int64(index))
                    return true
                }
                index += 1
            }
            seek(to: position + Int64(last + 1))
        }
    }

    private func memmoveBytes(to: Int, from: Int, count: Int) {
        guard let base = buffer.baseAddress else { return }
        (base + to).copyMemory(from: base + from, byteCount: count)
    }
}

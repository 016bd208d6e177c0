/// Writer of an RTP header extension (RFC 8285), including its four-byte header, into memory that the caller owns.
///
///     var writer = RTPHeaderExtensionWriter(buffer: room, form: .oneByte)
///     writer.append(id: 3, data: sequenceBytes)
///     let bytes = writer.finish()          // head, elements and padding
package struct RTPHeaderExtensionWriter {
    private let buffer: UnsafeMutableRawBufferPointer
    private let form: RTPHeaderExtensions.Form
    private var offset = 4

    package init(buffer: UnsafeMutableRawBufferPointer, form: RTPHeaderExtensions.Form) {
        self.buffer = buffer
        self.form = form
    }

    /// - Returns: false, with nothing written, if the element does not fit the form or the buffer.
    @discardableResult
    package mutating func append(id: UInt8, data: UnsafeRawBufferPointer) -> Bool {
        guard let destination = reserve(id: id, length: data.count) else { return false }
        destination.copyMemory(from: data)
        return true
    }

    /// Reserves space for an element whose data the caller writes; nil if it does not fit.
    package mutating func reserve(id: UInt8, length: Int) -> UnsafeMutableRawBufferPointer? {
        let head: Int
        switch form {
        case .oneByte:
            guard (1...14).contains(id), (1...16).contains(length) else { return nil }
            head = 1
        case .twoByte:
            guard id != 0, (0...255).contains(length) else { return nil }
            head = 2
        }
        // The padding that `finish` adds must fit as well.
        guard (offset + head + length + 3) & ~3 <= buffer.count, let base = buffer.baseAddress else { return nil }
        switch form {
        case .oneByte:
            base.put(id << 4 | UInt8(truncatingIfNeeded: length - 1), at: offset)
        case .twoByte:
            base.put(id, at: offset)
            base.put(UInt8(truncatingIfNeeded: length), at: offset + 1)
        }
        let destination = UnsafeMutableRawBufferPointer(rebasing: buffer[(offset + head)..<(offset + head + length)])
        offset += head + length
        return destination
    }

    /// Pads to 32 bits and writes the header.
    /// - Returns: the number of bytes written, 0 if there is no element.
    package mutating func finish() -> Int {
        guard offset > 4, let base = buffer.baseAddress else { return 0 }
        while offset & 3 != 0 {
            base.put(UInt8(0), at: offset)
            offset += 1
        }
        base.put(form.profile, at: 0)
        base.put(UInt16(truncatingIfNeeded: (offset - 4) / 4), at: 2)
        return offset
    }
}

/// NAL units of an H.264 access unit, as `FrameDepacketizer` composes it: each behind a start code (ITU-T H.264 Annex B).
package struct H264AccessUnit {
    package struct Unit: Sendable {
        package var type: H264UnitType
        package var range: Range<Int>
    }

    package let units: [Unit]

    package init(_ bytes: [UInt8]) { self = bytes.withUnsafeBytes { H264AccessUnit($0) } }

    package init(_ bytes: UnsafeRawBufferPointer) {
        var units: [Unit] = []
        var start: Int?
        func end(at position: Int) {
            guard let start else { return }
            // Zeros before a start code belong to it, because no NAL unit ends with a zero byte.
            var end = position
            while end > start, bytes[end - 1] == 0 { end -= 1 }
            if end > start { units.append(Unit(type: H264UnitType(header: bytes[start]), range: start..<end)) }
        }
        var position = 0
        while position + 3 <= bytes.count {
            if bytes[position + 2] > 1 {
                position += 3
            } else if bytes[position] == 0, bytes[position + 1] == 0, bytes[position + 2] == 1 {
                end(at: position)
                position += 3
                start = position
            } else {
                position += 1
            }
        }
        end(at: bytes.count)
        self.units = units
    }
}

package import MediaBase

/// Frame that contains its source, number and capture time, so that it is recognized after passing a relay without trusting any
/// header. Not decodable: it has the header of a VP8 frame (RFC 6386 section 9.1), then its identity, then one byte repeated.
package struct SyntheticFrame: Hashable, Sendable {
    /// Id of the source.
    package var source: UInt32
    /// Index of the simulcast encoding.
    package var encoding: UInt8
    /// Number of frames before this one, the same in all encodings.
    package var number: UInt32
    package var isKeyFrame: Bool
    /// Capture time on the clock of the source.
    package var captured: MediaTime

    package static let smallest = 10 + 26
    private static let magic: UInt32 = 0x4d46_524d

    package init(source: UInt32, encoding: UInt8, number: UInt32, isKeyFrame: Bool, captured: MediaTime) {
        self.source = source
        self.encoding = encoding
        self.number = number
        self.isKeyFrame = isKeyFrame
        self.captured = captured
    }

    /// - Parameters:
    ///   - length: bytes of the frame, at least `smallest`.
    ///   - width: width of a key frame in pixels; 14 bits.
    package func bytes(length: Int, width: Int, height: Int) -> [UInt8] {
        let length = max(length, Self.smallest)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(length)
        func put(_ value: UInt64, _ count: Int) {
            for shift in (0..<count).reversed() { bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(8 * shift))) }
        }
        // P is 1 in a frame that refers to others; show_frame is set.
        bytes += [isKeyFrame ? 0x10 : 0x11, 0, 0]
        if isKeyFrame {
            bytes += [0x9d, 0x01, 0x2a]
            bytes += [UInt8(width & 0xff), UInt8(width >> 8 & 0x3f), UInt8(height & 0xff), UInt8(height >> 8 & 0x3f)]
        }
        put(UInt64(Self.magic), 4)
        put(UInt64(source), 4)
        put(UInt64(encoding), 1)
        put(UInt64(number), 4)
        put(UInt64(bitPattern: captured.rawValue), 8)
        put(UInt64(length), 4)
        bytes += [UInt8](repeating: filling, count: length - bytes.count)
        return bytes
    }

    private var filling: UInt8 { UInt8(truncatingIfNeeded: number &* 31 &+ source &* 7 &+ UInt32(encoding)) | 1 }

    /// Nil if the bytes are not such a frame, or are truncated or altered.
    package init?(parsing bytes: [UInt8]) {
        guard let first = bytes.first else { return nil }
        isKeyFrame = first & 1 == 0
        let start = isKeyFrame ? 10 : 3
        guard bytes.count >= start + 25 else { return nil }
        func get(_ offset: Int, _ count: Int) -> UInt64 {
            bytes[(start + offset)..<(start + offset + count)].reduce(0) { $0 << 8 | UInt64($1) }
        }
        guard get(0, 4) == UInt64(Self.magic), get(21, 4) == UInt64(bytes.count) else { return nil }
        source = UInt32(get(4, 4))
        encoding = UInt8(get(8, 1))
        number = UInt32(get(9, 4))
        captured = MediaTime(rawValue: Int64(bitPattern: get(13, 8)))
        let expected = filling
        let isWhole = bytes.withUnsafeBytes { bytes in
            var at = start + 25
            while at < bytes.count {
                guard bytes[at] == expected else { return false }
                at &+= 1
            }
            return true
        }
        guard isWhole else { return nil }
    }
}

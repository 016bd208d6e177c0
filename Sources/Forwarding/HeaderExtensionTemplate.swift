package import MediaBase
package import RTP

/// One consumer's header extension (RFC 8285): a block that is copied behind the fixed header and patched in the places that differ from
/// packet to packet. Lies inside its consumer, so that writing it touches no other memory.
///
/// Its length is the same for all packets of a consumer, which segmentation needs, but for abs-capture-time: publishers send that about
/// once a second, and it is appended where the packet has it. A packet without an audio level, or of video without an orientation, has padding
/// in its place.
package struct HeaderExtensionTemplate: Sendable {
    /// Of the block without abs-capture-time, head included: a media section id of 16 characters in the two-byte form, and everything else.
    package static let maximumLength = 36
    /// With abs-capture-time and its padding.
    static let maximumBlock = maximumLength + 20

    /// Bytes of the block; 0 where the consumer gets none.
    package private(set) var length: UInt8 = 0
    private var isTwoByte = false
    // Where the data of an element begins; 0 where there is none.
    private var transportWideAt: UInt8 = 0
    private var sendTimeAt: UInt8 = 0
    /// The audio level of audio, or the orientation of video.
    private var levelOrOrientationAt: UInt8 = 0
    /// 0: not mapped.
    private var captureTimeID: UInt8 = 0
    /// 36 bytes.
    private var words: (UInt64, UInt64, UInt64, UInt64, UInt32) = (0, 0, 0, 0, 0)

    /// No header extension.
    package init() {}

    /// - Parameters:
    ///   - map: the numbers that the viewer gave the extensions of this media section.
    ///   - mid: goes out where the map has a number for it.
    ///   - playoutDelay: goes out with video, in place of the orientation: not all would fit.
    package init(
        map: RTPExtensionMap, kind: MediaKind, mid: MID? = nil, playoutDelay: PlayoutDelay? = nil
    ) {
        var block = [UInt8](repeating: 0, count: Self.maximumLength)
        var transportWideAt: UInt8 = 0
        var sendTimeAt: UInt8 = 0
        var levelOrOrientationAt: UInt8 = 0
        let written = block.withUnsafeMutableBytes { bytes in
            var writer = RTPHeaderExtensionWriter(buffer: bytes, form: map.needsTwoByteForm ? .twoByte : .oneByte)
            func place(_ kind: RTPExtensionKind, _ length: Int) -> UInt8 {
                guard let id = map[kind], let data = writer.reserve(id: id, length: length),
                    let start = data.baseAddress, let base = bytes.baseAddress
                else { return 0 }
                return UInt8(start - UnsafeMutableRawPointer(base))
            }
            if let mid { writer.append(mid, as: map) }
            transportWideAt = place(.transportWideCC, 2)
            sendTimeAt = place(.absSendTime, 3)
            if kind == .audio {
                levelOrOrientationAt = place(.audioLevel, 1)
            } else if let playoutDelay {
                writer.append(playoutDelay, as: map)
            } else {
                levelOrOrientationAt = place(.videoOrientation, 1)
            }
            return writer.finish()
        }
        length = UInt8(written)
        isTwoByte = map.needsTwoByteForm
        self.transportWideAt = transportWideAt
        self.sendTimeAt = sendTimeAt
        self.levelOrOrientationAt = levelOrOrientationAt
        captureTimeID = map[.absCaptureTime] ?? 0
        if written == 0, captureTimeID != 0 {
            // A head alone: what is appended finds its place behind it.
            length = 4
            block[0] = isTwoByte ? 0x10 : 0xbe
            block[1] = isTwoByte ? 0x00 : 0xde
        }
        withUnsafeMutableBytes(of: &words) { $0.copyBytes(from: block) }
    }

    /// The same packet sent twice differs in its header: under an AEAD suite it may not leave twice with one index.
    package var changesByPacket: Bool { transportWideAt != 0 || sendTimeAt != 0 }

    /// Packets have a transport-wide number.
    @inline(__always)
    var hasNumber: Bool { transportWideAt != 0 }

    /// Bytes of the block of a packet that brought `passed`.
    @inline(__always)
    func length(with passed: PassedExtensions) -> Int {
        guard captureTimeID != 0, passed.flags.contains(.captureTime) else { return Int(length) }
        let data = passed.flags.contains(.captureClockOffset) ? 16 : 8
        return (Int(length) + (isTwoByte ? 2 : 1) + data + 3) & ~3
    }

    /// Transport-wide number in a packet that was written with this template; nil if such packets have none.
    func number(in packet: UnsafeRawPointer) -> UInt16? {
        guard hasNumber else { return nil }
        let at = EgressBatch.fixedHeader + Int(transportWideAt)
        return UInt16(bigEndian: packet.loadUnaligned(fromByteOffset: at, as: UInt16.self))
    }

    /// Bytes of the block in a packet that was written with this template.
    func length(in packet: UnsafeRawPointer) -> Int {
        guard length != 0 else { return 0 }
        let words = packet.loadUnaligned(fromByteOffset: EgressBatch.fixedHeader + 2, as: UInt16.self)
        return 4 + 4 * Int(UInt16(bigEndian: words))
    }

    /// Writes the block, `maximumBlock` bytes of which may be touched.
    /// - Parameters:
    ///   - blockLength: `length(with: passed)`.
    ///   - sendTime: 24 bits of 6.18 fixed point.
    ///   - number: transport-wide.
    @inline(__always)
    func write(
        to block: UnsafeMutableRawPointer, _ passed: PassedExtensions, blockLength: Int, sendTime: UInt32,
        number: UInt16
    ) {
        block.storeBytes(of: words.0, as: UInt64.self)
        block.storeBytes(of: words.1, toByteOffset: 8, as: UInt64.self)
        block.storeBytes(of: words.2, toByteOffset: 16, as: UInt64.self)
        block.storeBytes(of: words.3, toByteOffset: 24, as: UInt64.self)
        block.storeBytes(of: words.4, toByteOffset: 32, as: UInt32.self)
        if transportWideAt != 0 {
            block.storeBytes(of: number.bigEndian, toByteOffset: Int(transportWideAt), as: UInt16.self)
        }
        if sendTimeAt != 0 {
            let at = Int(sendTimeAt)
            block.storeBytes(of: UInt8(truncatingIfNeeded: sendTime >> 16), toByteOffset: at, as: UInt8.self)
            block.storeBytes(
                of: UInt16(truncatingIfNeeded: sendTime).bigEndian, toByteOffset: at + 1, as: UInt16.self)
        }
        if levelOrOrientationAt != 0 {
            let at = Int(levelOrOrientationAt)
            if !passed.flags.isDisjoint(with: [.audioLevel, .videoOrientation]) {
                block.storeBytes(of: passed.levelOrOrientation, toByteOffset: at, as: UInt8.self)
            } else {
                // Zeros between elements are padding, in place of the element's head too.
                block.storeBytes(of: 0, toByteOffset: at - 1, as: UInt8.self)
                block.storeBytes(of: 0, toByteOffset: at, as: UInt8.self)
                if isTwoByte { block.storeBytes(of: 0, toByteOffset: at - 2, as: UInt8.self) }
            }
        }
        if blockLength != Int(length) { appendCaptureTime(to: block, passed, blockLength) }
    }

    /// Once a second or so.
    @inline(never)
    private func appendCaptureTime(
        to block: UnsafeMutableRawPointer, _ passed: PassedExtensions, _ blockLength: Int
    ) {
        let words = UInt16(truncatingIfNeeded: blockLength / 4 - 1)
        block.storeBytes(of: words.bigEndian, toByteOffset: 2, as: UInt16.self)
        var at = Int(length)
        block.storeBytes(of: 0, toByteOffset: blockLength - 4, as: UInt32.self)
        let data: UInt8 = passed.flags.contains(.captureClockOffset) ? 16 : 8
        if isTwoByte {
            block.storeBytes(of: captureTimeID, toByteOffset: at, as: UInt8.self)
            block.storeBytes(of: data, toByteOffset: at + 1, as: UInt8.self)
            at += 2
        } else {
            block.storeBytes(of: captureTimeID << 4 | (data - 1), toByteOffset: at, as: UInt8.self)
            at += 1
        }
        block.storeBytes(of: passed.captureTime.bigEndian, toByteOffset: at, as: UInt64.self)
        if data == 16 {
            block.storeBytes(of: passed.captureClockOffset.bigEndian, toByteOffset: at + 8, as: UInt64.self)
        }
    }
}

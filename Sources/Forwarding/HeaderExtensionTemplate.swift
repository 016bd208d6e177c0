package import MediaBase
package import RTP

/// Header extension block of one consumer (RFC 8285). The block is copied behind the fixed header of each packet, then the fields that
/// differ between packets are patched. Stored inside the consumer, so that writing it touches no other memory.
///
/// The block has the same length for all packets of a consumer, which segmentation offload needs. The exceptions are abs-capture-time, which
/// publishers send about once a second, and the dependency descriptor: they are appended only to packets that have them. A missing audio level or video orientation is
/// replaced by padding.
package struct HeaderExtensionTemplate: Sendable {
    /// Maximum length of the block without appended extensions, in bytes, including its 4-byte head: a MID of 16 characters in the two-byte
    /// form, and all other elements.
    package static let maximumLength = 36
    /// Maximum length of the block with abs-capture-time and its padding, in bytes. A descriptor adds `PassedExtensions.descriptorRoom`.
    static let maximumBlock = maximumLength + 20

    /// Length of the block in bytes; 0 if the consumer's packets have no header extension.
    package private(set) var length: UInt8 = 0
    private var isTwoByte = false
    // Offset of each element's data in the block; 0 if the consumer does not use the element.
    private var transportWideAt: UInt8 = 0
    private var sendTimeAt: UInt8 = 0
    /// Offset of the audio level (audio) or of the orientation (video).
    private var levelOrOrientationAt: UInt8 = 0
    /// Extension id of abs-capture-time; 0 if it was not negotiated.
    private var captureTimeID: UInt8 = 0
    /// Extension id of the dependency descriptor; 0 if it was not negotiated.
    private var descriptorID: UInt8 = 0
    /// Extensions that are appended to the packets that have them.
    private var appended: PassedExtensions.Flags = []
    /// The block: 36 bytes.
    private var words: (UInt64, UInt64, UInt64, UInt64, UInt32) = (0, 0, 0, 0, 0)

    /// No header extension.
    package init() {}

    /// - Parameters:
    ///   - map: extension ids that the subscriber assigned in this media section.
    ///   - mid: written if `map` has an id for it.
    ///   - playoutDelay: for video; replaces the orientation, since both would not fit.
    package init(
        map: RTPExtensionMap, kind: MediaKind, mid: MID? = nil, playoutDelay: PlayoutDelay? = nil
    ) {
        // The descriptor of a key frame is longer than the 16 bytes that the one-byte form allows.
        let hasDescriptor = kind == .video && map[.dependencyDescriptor] != nil
        let form: RTPHeaderExtensions.Form = map.needsTwoByteForm || hasDescriptor ? .twoByte : .oneByte
        var block = [UInt8](repeating: 0, count: Self.maximumLength)
        var transportWideAt: UInt8 = 0
        var sendTimeAt: UInt8 = 0
        var levelOrOrientationAt: UInt8 = 0
        let written = block.withUnsafeMutableBytes { bytes in
            var writer = RTPHeaderExtensionWriter(buffer: bytes, form: form)
            func reserve(_ kind: RTPExtensionKind, _ length: Int) -> UInt8 {
                guard let id = map[kind], let data = writer.reserve(id: id, length: length),
                    let start = data.baseAddress, let base = bytes.baseAddress
                else { return 0 }
                return UInt8(start - UnsafeMutableRawPointer(base))
            }
            if let mid { writer.append(mid, as: map) }
            transportWideAt = reserve(.transportWideCC, 2)
            sendTimeAt = reserve(.absSendTime, 3)
            if kind == .audio {
                levelOrOrientationAt = reserve(.audioLevel, 1)
            } else if let playoutDelay {
                writer.append(playoutDelay, as: map)
            } else {
                levelOrOrientationAt = reserve(.videoOrientation, 1)
            }
            return writer.finish()
        }
        length = UInt8(written)
        isTwoByte = form == .twoByte
        self.transportWideAt = transportWideAt
        self.sendTimeAt = sendTimeAt
        self.levelOrOrientationAt = levelOrOrientationAt
        captureTimeID = map[.absCaptureTime] ?? 0
        if captureTimeID != 0 { appended.insert(.captureTime) }
        if hasDescriptor {
            descriptorID = map[.dependencyDescriptor] ?? 0
            appended.insert(.descriptor)
        }
        if written == 0, !appended.isEmpty {
            // The head alone: extensions are appended behind it.
            length = 4
            block[0] = isTwoByte ? 0x10 : 0xbe
            block[1] = isTwoByte ? 0x00 : 0xde
        }
        withUnsafeMutableBytes(of: &words) { $0.copyBytes(from: block) }
    }

    /// True if the header differs each time a packet is sent. Such a packet may not be sent twice with one SRTP index under an AEAD suite.
    package var changesByPacket: Bool { transportWideAt != 0 || sendTimeAt != 0 }

    /// True if packets have a transport-wide sequence number.
    @inline(__always)
    var hasNumber: Bool { transportWideAt != 0 }

    /// Length of the block, in bytes, for a packet whose publisher sent `passed`.
    @inline(__always)
    func length(with passed: PassedExtensions) -> Int {
        guard !passed.flags.isDisjoint(with: appended) else { return Int(length) }
        return appendedLength(with: passed)
    }

    @inline(never)
    private func appendedLength(with passed: PassedExtensions) -> Int {
        let head = isTwoByte ? 2 : 1
        let flags = passed.flags.intersection(appended)
        var bytes = Int(length)
        if flags.contains(.captureTime) { bytes += head + (passed.flags.contains(.captureClockOffset) ? 16 : 8) }
        if flags.contains(.descriptor) { bytes += head + Int(passed.descriptorLength) }
        return (bytes + 3) & ~3
    }

    /// Returns the transport-wide sequence number of a packet that was written with this template, or nil if such packets have none.
    func number(in packet: UnsafeRawPointer) -> UInt16? {
        guard hasNumber else { return nil }
        let at = EgressBatch.fixedHeader + Int(transportWideAt)
        return UInt16(bigEndian: packet.loadUnaligned(fromByteOffset: at, as: UInt16.self))
    }

    /// Returns the length of the block, in bytes, in a packet that was written with this template.
    func length(in packet: UnsafeRawPointer) -> Int {
        guard length != 0 else { return 0 }
        let words = packet.loadUnaligned(fromByteOffset: EgressBatch.fixedHeader + 2, as: UInt16.self)
        return 4 + 4 * Int(UInt16(bigEndian: words))
    }

    /// Writes the block. May overwrite up to `maximumBlock` bytes, and those of a descriptor.
    /// - Parameters:
    ///   - blockLength: `length(with: passed)`.
    ///   - sendTime: abs-send-time, 24 bits of 6.18 fixed point.
    ///   - number: transport-wide sequence number.
    ///   - payload: payload in the ring, with the packet's dependency descriptor behind it.
    ///   - frameNumberOffset: added to the descriptor's frame number.
    @inline(__always)
    func write(
        to block: UnsafeMutableRawPointer, _ passed: PassedExtensions, blockLength: Int, sendTime: UInt32,
        number: UInt16, payload: UnsafePointer<UInt8>? = nil, frameNumberOffset: UInt16 = 0
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
                // Zero bytes between elements are padding (RFC 8285), so the element's head is zeroed too.
                block.storeBytes(of: 0, toByteOffset: at - 1, as: UInt8.self)
                block.storeBytes(of: 0, toByteOffset: at, as: UInt8.self)
                if isTwoByte { block.storeBytes(of: 0, toByteOffset: at - 2, as: UInt8.self) }
            }
        }
        if blockLength != Int(length) { append(passed, to: block, blockLength, payload, frameNumberOffset) }
    }

    /// Appends the extensions that not all packets have. Kept out of the inlined path, since abs-capture-time comes about once a second per
    /// stream, and descriptors only with spatial layers.
    @inline(never)
    private func append(
        _ passed: PassedExtensions, to block: UnsafeMutableRawPointer, _ blockLength: Int,
        _ payload: UnsafePointer<UInt8>?, _ frameNumberOffset: UInt16
    ) {
        let words = UInt16(truncatingIfNeeded: blockLength / 4 - 1)
        block.storeBytes(of: words.bigEndian, toByteOffset: 2, as: UInt16.self)
        var at = Int(length)
        block.storeBytes(of: 0, toByteOffset: blockLength - 4, as: UInt32.self)
        if descriptorID != 0, passed.flags.contains(.descriptor), let payload {
            let count = Int(passed.descriptorLength)
            block.storeBytes(of: descriptorID, toByteOffset: at, as: UInt8.self)
            block.storeBytes(of: passed.descriptorLength, toByteOffset: at + 1, as: UInt8.self)
            let data = UnsafeMutableRawBufferPointer(start: block + at + 2, count: count)
            data.copyMemory(
                from: UnsafeRawBufferPointer(start: payload + Int(passed.descriptorOffset), count: count))
            DependencyDescriptor.shiftFrameNumber(in: data, by: frameNumberOffset)
            at += 2 + count
        }
        guard captureTimeID != 0, passed.flags.contains(.captureTime) else { return }
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

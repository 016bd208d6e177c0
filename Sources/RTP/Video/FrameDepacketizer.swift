package import MediaBase

/// Composes the encoded bytes of a frame from its RTP payloads, in the form that decoders and containers take:
///
/// - VP8: the frame (RFC 6386).
/// - H.264: NAL units, each behind a start code of four bytes (ITU-T H.264 Annex B).
/// - VP9: the frame; several spatial layers form a superframe with its index (VP9 bitstream specification, Annex B).
/// - AV1: a temporal unit of OBUs that have a size field, without temporal delimiters and tile lists.
///
/// For each frame call `begin`, `append` with all payloads in the order of their sequence numbers, and `finish`. After an error the frame is
/// unusable, and `begin` starts the next one.
package struct FrameDepacketizer: Sendable {
    /// Default of the maximum size of a frame in bytes.
    package static let defaultByteCapacity = 4 << 20

    private let codec: VideoCodec
    private let byteCapacity: Int
    /// True after the first payload.
    private var hasBegun = false
    /// True if the last NAL unit, OBU or spatial layer continues in the next payload.
    private var isOpen = false
    /// Header of the fragmented NAL unit.
    private var unitHeader: UInt8 = 0
    /// Position of the OBU that is fragmented, or of the current VP9 layer, in the frame.
    private var partStart = 0
    /// Sizes of the VP9 layers so far.
    private var layerLengths = SIMD8<UInt32>.zero
    private var layerCount = 0

    /// - Parameter byteCapacity: maximum size of a frame in bytes.
    /// - Precondition: `byteCapacity` is positive and below 2^32.
    package init(_ codec: VideoCodec, byteCapacity: Int = Self.defaultByteCapacity) {
        precondition(byteCapacity > 0 && byteCapacity <= Int(UInt32.max))
        self.codec = codec
        self.byteCapacity = byteCapacity
    }

    /// Starts a frame, whose bytes the caller collects in an empty array.
    package mutating func begin() { self = FrameDepacketizer(codec, byteCapacity: byteCapacity) }

    /// True if no payload seems to be missing at the end of the frame. VP8 does not mark the end of a frame; there the marker bit of RTP
    /// decides.
    package var isComplete: Bool { hasBegun && !isOpen }

    /// Appends one payload.
    /// - Parameters:
    ///   - payload: RTP payload without padding.
    ///   - frame: the bytes of the payloads so far, unchanged since the last call.
    /// - Throws: if the payload is malformed, if it does not continue the payload before or continues none, or if the frame exceeds
    ///   the maximum size.
    package mutating func append(_ payload: UnsafeRawBufferPointer, to frame: inout [UInt8]) throws(RTPError) {
        switch codec {
        case .vp8: try appendVP8(payload, to: &frame)
        case .h264: try appendH264(payload, to: &frame)
        case .vp9: try appendVP9(payload, to: &frame)
        case .av1: try appendAV1(payload, to: &frame)
        }
        hasBegun = true
    }

    /// Ends the frame after its last payload.
    /// - Throws: `truncated` if the frame is not complete.
    package mutating func finish(_ frame: inout [UInt8]) throws(RTPError) {
        guard isComplete else { throw .truncated(.videoFrame) }
        if codec == .vp9, layerCount > 1 { try appendSuperframeIndex(to: &frame) }
    }

    private func add(_ bytes: some Collection<UInt8>, to frame: inout [UInt8]) throws(RTPError) {
        guard bytes.count <= byteCapacity - frame.count else { throw .invalid(.videoFrame) }
        frame.append(contentsOf: bytes)
    }

    private func appendVP8(_ payload: UnsafeRawBufferPointer, to frame: inout [UInt8]) throws(RTPError) {
        let descriptor = try VP8PayloadDescriptor(parsing: payload)
        guard descriptor.isFrameStart != hasBegun else { throw .invalid(.vp8Payload) }
        try add(payload[descriptor.headerLength...], to: &frame)
    }

    private mutating func appendH264(_ payload: UnsafeRawBufferPointer, to frame: inout [UInt8]) throws(RTPError) {
        let unit = try H264Payload(parsing: payload)
        switch unit.structure {
        case .singleUnit:
            try appendUnit(payload, to: &frame)
        case .aggregate:
            var units = H264Aggregate(payload)
            while let unit = try units.next() { try appendUnit(unit, to: &frame) }
        case .fragment(let isStart, let isEnd):
            guard isStart != isOpen, isStart || unit.header & 0x1f == unitHeader & 0x1f else {
                throw .invalid(.h264Fragment)
            }
            if isStart {
                unitHeader = unit.header
                try add([0, 0, 0, 1, unit.header], to: &frame)
            }
            try add(payload[unit.headerLength...], to: &frame)
            isOpen = !isEnd
        }
    }

    private func appendUnit(_ unit: UnsafeRawBufferPointer, to frame: inout [UInt8]) throws(RTPError) {
        guard !isOpen else { throw .invalid(.h264Fragment) }
        try add([0, 0, 0, 1], to: &frame)
        try add(unit, to: &frame)
    }

    private mutating func appendVP9(_ payload: UnsafeRawBufferPointer, to frame: inout [UInt8]) throws(RTPError) {
        let descriptor = try VP9PayloadDescriptor(parsing: payload)
        guard descriptor.startsLayerFrame != isOpen else { throw .invalid(.vp9Payload) }
        if descriptor.startsLayerFrame { partStart = frame.count }
        try add(payload[descriptor.headerLength...], to: &frame)
        isOpen = !descriptor.endsLayerFrame
        if descriptor.endsLayerFrame {
            guard layerCount < 8, partStart < frame.count else { throw .invalid(.vp9Payload) }
            layerLengths[layerCount] = UInt32(clamping: frame.count - partStart)
            layerCount += 1
        }
    }

    /// Appends the index of a superframe: a marker byte with the number of frames and the bytes of each size, the sizes with the lowest
    /// byte first, and the marker byte again.
    private func appendSuperframeIndex(to frame: inout [UInt8]) throws(RTPError) {
        let bytes = max(1, (32 - layerLengths.max().leadingZeroBitCount + 7) / 8)
        let marker = 0xc0 | UInt8(bytes - 1) << 3 | UInt8(layerCount - 1)
        var index = [marker]
        for layer in 0..<layerCount {
            for byte in 0..<bytes { index.append(UInt8(truncatingIfNeeded: layerLengths[layer] >> UInt32(8 * byte))) }
        }
        index.append(marker)
        try add(index, to: &frame)
    }

    private mutating func appendAV1(_ payload: UnsafeRawBufferPointer, to frame: inout [UInt8]) throws(RTPError) {
        var elements = try AV1Elements(AV1AggregationHeader(parsing: payload), payload)
        while let element = try elements.next() {
            guard element.continuesElement == isOpen else { throw .invalid(.av1Element) }
            if !isOpen { partStart = frame.count }
            try add(element.bytes, to: &frame)
            isOpen = element.isContinued
            if !isOpen { try closeOBU(in: &frame) }
        }
    }

    /// Gives the OBU at the end of `frame` a size field, or removes it if receivers must ignore its type (section 5 of the payload format).
    private func closeOBU(in frame: inout [UInt8]) throws(RTPError) {
        guard partStart <= frame.count else { throw .invalid(.av1OBU) }
        let length = frame.count - partStart
        guard length > 0 else { return }
        let header = AV1OBUHeader(frame[partStart])
        guard !header.isForbidden else { throw .invalid(.av1OBU) }
        guard length >= header.length else { throw .truncated(.av1OBU) }
        if header.type == .temporalDelimiter || header.type == .tileList {
            frame.removeLast(length)
            return
        }
        let contentStart = partStart + header.length
        if header.hasSize {
            var offset = contentStart
            let size = try AV1Number.read(frame, &offset, field: .av1OBU)
            guard size == frame.count - offset else { throw .invalid(.av1OBU) }
            return
        }
        let size = AV1Number.bytes(frame.count - contentStart)
        guard size.count <= byteCapacity - frame.count else { throw .invalid(.videoFrame) }
        frame[partStart] |= AV1OBUHeader.sizeFlag
        frame.insert(contentsOf: size, at: contentStart)
    }
}

import MediaBase

/// Retransmissions, probe padding and fillers. These run less often than the media path, so they may do extra checks and copies.
extension EgressBatch {
    /// Adds a retransmission on the consumer's RTX stream: the original sequence number, followed by the original payload (RFC 4588 section
    /// 4).
    /// - Parameter original: sequence number of the packet when it was first sent.
    mutating func appendRetransmission(
        _ packet: borrowing PendingPacket, original: Int64, rewrite: borrowing RTPRewrite, on rtx: RTXStream,
        sequence: Int64, of consumer: UnsafePointer<Consumer>, probe: UInt16,
        to path: UnsafeMutablePointer<EgressPath>
    ) {
        let destination = path.pointee.cursor.unsafelyUnwrapped
        guard !rewrite.leavesOut(packet) else {
            appendFiller(
                packet, on: rtx.ssrc, rtx.payloadType, sequence: sequence, original: original, rewrite: rewrite,
                of: consumer, probe: probe, to: path)
            return
        }
        // A stream of retransmissions repeats one payload type (RFC 4588 section 8.6), which is not that of redundant audio.
        let payload = packet.payload + packet.redundancy
        let length = packet.payloadLength &- packet.redundancy
        let header = writeHeader(
            packet.firstByte, packet.extensions, timestamp: packet.timestamp &+ rewrite.timestampOffset,
            ssrc: rtx.ssrc.rawValue,
            payloadType: packet.markerBit | rewrite.addedMarkerBit(packet) | rtx.payloadType.rawValue,
            sequence: sequence, of: consumer, payloadLength: length + 2,
            payload: payload, frameNumberOffset: rewrite.frameNumberOffset, probe: probe, to: path)
        let copy = destination + header
        UnsafeMutableRawPointer(copy).storeBytes(
            of: UInt16(truncatingIfNeeded: original).bigEndian, as: UInt16.self)
        (copy + 2).update(from: payload, count: length)
        if rewrite.patchesPayload { rewrite.patch(copy + 2, packet) }
        finish(
            ssrc: rtx.ssrc.rawValue, sequence: sequence, source: UnsafePointer(copy), header: header,
            payloadLength: length + 2, to: path)
    }

    /// Adds a packet on the consumer's own stream, byte by byte as it was sent first.
    /// - Parameter first: fields of its first header.
    mutating func appendUnchanged(
        _ packet: borrowing PendingPacket, sequence: Int64, rewrite: borrowing RTPRewrite,
        first: SentHeaderLog.Values, of consumer: UnsafePointer<Consumer>, to path: UnsafeMutablePointer<EgressPath>
    ) {
        let raw = UnsafeMutableRawPointer(path.pointee.cursor.unsafelyUnwrapped)
        let ssrc = consumer.pointee.ssrc.rawValue
        Self.writeFixedHeader(
            packet.firstByte | 0x10, timestamp: packet.timestamp &+ rewrite.timestampOffset, ssrc: ssrc,
            payloadType: packet.markerBit | rewrite.addedMarkerBit(packet) | packet.payloadType(for: consumer),
            sequence: sequence, to: raw)
        let leftOut = packet.leftOut(for: consumer)
        let payload = packet.payload + leftOut
        let block = consumer.pointee.extensions.length(with: packet.extensions)
        consumer.pointee.extensions.write(
            to: raw + Self.fixedHeader, packet.extensions, blockLength: block, sendTime: first.sendTime,
            number: first.number, payload: payload, frameNumberOffset: rewrite.frameNumberOffset)
        finish(
            ssrc: ssrc, sequence: sequence, source: UnsafePointer(payload), header: Self.fixedHeader + block,
            payloadLength: packet.payloadLength &- leftOut, to: path)
    }

    /// Adds a packet that contains only padding (RFC 3550 section 5.1) on the consumer's RTX stream. Its padding has the maximum length,
    /// 255 bytes.
    mutating func appendPadding(
        on rtx: RTXStream, sequence: Int64, of consumer: UnsafePointer<Consumer>, probe: UInt16,
        to path: UnsafeMutablePointer<EgressPath>
    ) {
        let length = Int(UInt8.max)
        let header = writeHeader(
            0xa0, PassedExtensions(), timestamp: consumer.pointee.progress.timestamp, ssrc: rtx.ssrc.rawValue,
            payloadType: rtx.payloadType.rawValue, sequence: sequence, of: consumer, payloadLength: length,
            probe: probe, to: path)
        let padding = path.pointee.cursor.unsafelyUnwrapped + header
        padding.update(repeating: 0, count: length - 1)
        padding[length - 1] = UInt8.max
        finish(
            ssrc: rtx.ssrc.rawValue, sequence: sequence, source: UnsafePointer(padding), header: header,
            payloadLength: length, to: path)
    }

    /// Adds a padding packet in place of a late packet that is above the temporal limit. A sequence number was reserved for the late
    /// packet, and the subscriber would otherwise keep requesting it.
    mutating func appendFiller(
        _ packet: borrowing PendingPacket, sequence: Int64, rewrite: borrowing RTPRewrite,
        of consumer: UnsafePointer<Consumer>, to path: UnsafeMutablePointer<EgressPath>
    ) {
        appendFiller(
            packet, on: consumer.pointee.ssrc, consumer.pointee.payloadType, sequence: sequence, original: nil,
            rewrite: rewrite, of: consumer, probe: 0, to: path)
    }

    private mutating func appendFiller(
        _ packet: borrowing PendingPacket, on ssrc: SSRC, _ payloadType: PayloadType, sequence: Int64, original: Int64?,
        rewrite: borrowing RTPRewrite, of consumer: UnsafePointer<Consumer>, probe: UInt16,
        to path: UnsafeMutablePointer<EgressPath>
    ) {
        let length = original == nil ? 1 : 3
        let header = writeHeader(
            0xa0, PassedExtensions(), timestamp: packet.timestamp &+ rewrite.timestampOffset, ssrc: ssrc.rawValue,
            payloadType: payloadType.rawValue, sequence: sequence, of: consumer, payloadLength: length, probe: probe,
            to: path)
        let payload = path.pointee.cursor.unsafelyUnwrapped + header
        if let original {
            UnsafeMutableRawPointer(payload).storeBytes(
                of: UInt16(truncatingIfNeeded: original).bigEndian, as: UInt16.self)
        }
        payload[length - 1] = 1
        finish(
            ssrc: ssrc.rawValue, sequence: sequence, source: UnsafePointer(payload), header: header,
            payloadLength: length, to: path)
    }
}

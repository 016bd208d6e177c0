import MediaBase

/// Taps of a session's streams.
extension EngineSession {
    /// Opens a tap of a stream, which begins with the cached video since the last key frame.
    /// - Parameters:
    ///   - capacity: bytes that may wait for the reader.
    ///   - decodes: the reader decodes the media, which is impossible for an encrypted stream.
    func openTap(
        on name: String, _ kinds: Set<MediaKind>, capacity: Int, decodes: Bool, _ inbound: borrowing InboundTable,
        _ counters: inout EngineCounters
    ) throws(EngineError) -> PacketTap {
        guard let stream = stream(named: name) else { throw .unknownStream(name) }
        guard !decodes || !stream.isEncrypted else { throw .streamEncrypted(name) }
        stream.dropClosedTaps()
        guard stream.taps.count < limits.tapsPerStream else {
            counters.refusedLimit &+= 1
            throw .limitReached(name: "tapsPerStream", limit: limits.tapsPerStream)
        }
        let tap = PacketTap(capacity: capacity, kinds: kinds, codec: stream.codec)
        if kinds.contains(.video) { counters.droppedTap &+= stream.replay(to: tap) }
        stream.taps.append(tap)
        for producer in stream.producers { inbound[producer.tag].pointee.hasTaps = true }
        return tap
    }
}

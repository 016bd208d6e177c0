import MediaBase

/// Taps of a session's streams.
extension EngineSession {
    /// Opens a tap of a stream, which begins with the cached video since the last key frame.
    /// - Parameters:
    ///   - capacity: bytes that may wait for the reader.
    ///   - decodes: the reader decodes the media, which is impossible for an encrypted stream.
    ///   - chooses: the reader chooses the encoding of simulcast.
    func openTap(
        on name: String, _ kinds: Set<MediaKind>, capacity: Int, decodes: Bool, chooses: Bool, now: MediaTime,
        _ inbound: borrowing InboundTable, _ counters: inout EngineCounters
    ) throws(EngineError) -> PacketTap {
        guard let stream = stream(named: name) else { throw .unknownStream(name) }
        guard !decodes || !stream.isEncrypted else { throw .streamEncrypted(name) }
        stream.dropClosedTaps()
        guard stream.openTaps < limits.tapsPerStream else {
            counters.refusedLimit &+= 1
            throw .limitReached(name: "tapsPerStream", limit: limits.tapsPerStream)
        }
        let tap = PacketTap(capacity: capacity, kinds: kinds, codec: stream.codec)
        counters.droppedTap &+= stream.add(tap, chooses: chooses, replays: kinds.contains(.video), now: now)
        for producer in stream.producers { inbound[producer.tag].pointee.hasTaps = true }
        if let video = stream.encoding(of: tap) ?? stream.video, tap.wants(.video), video.isHeldBack(now: now) {
            emit(.requestKeyFrame(video, isAwaited: true))
        }
        return tap
    }

    /// Requests the key frames that taps of a stream wait for after a choice of their readers.
    func chooseForTaps(of stream: EngineStream, now: MediaTime) {
        for producer in stream.chooseForTaps(now: now) { emit(.requestKeyFrame(producer, isAwaited: false)) }
    }
}

import MediaBase

/// Video that is given up because it congests a path.
extension Router {
    /// Discards the packets that are queued for a subscriber's track and the rest of the current frame. The track then waits for a key
    /// frame.
    /// - Parameter producer: any that has the track.
    /// - Returns: the last sequence number that counts as used, or nil if there is no such track.
    package func abandon(path: Int, producer: Producer) -> Int64? {
        guard let (feeder, consumer) = feedingConsumer(path: path, like: producer) else { return nil }
        _ = setPaused(true, path: path, producer: feeder)
        _ = setPaused(false, path: path, producer: feeder)
        if feeder.kind == .video {
            consumer.pointee.cutFrame()
            consumer.pointee.isCutOff = true
        }
        return consumer.pointee.progress.sequence
    }

    /// Stops retransmitting the packets that a subscriber's track was sent so far, because its spatial layers were more than the path carries.
    /// The track continues with fewer layers. If the subscriber requests one of the packets, a key frame is requested from the publisher
    /// instead: it is smaller than the missing packets of higher layers, which would congest the path again, and without them a receiver
    /// cannot decode the lower layers of the same frame.
    /// - Parameter producer: any that has the track.
    package func abandonLayers(path: Int, producer: Producer) {
        guard let (_, consumer) = feedingConsumer(path: path, like: producer) else { return }
        consumer.pointee.progress.abandoned = consumer.pointee.progress.sequence
        consumer.pointee.replacesAbandoned = true
    }

    /// Requests the key frame that replaces abandoned packets, once.
    func replaceAbandoned(
        of consumer: UnsafeMutablePointer<Consumer>, from feeder: Producer, now: MediaTime
    ) {
        guard consumer.pointee.replacesAbandoned else { return }
        consumer.pointee.replacesAbandoned = false
        requestKeyFrame(of: feeder, path: consumer.pointee.path, now: now)
    }
}

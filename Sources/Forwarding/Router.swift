package import MediaBase

/// Fan-out of one session on one worker, from producers to consumers. Packets are queued as they arrive and leave in batches. The `flush`
/// closure that the caller passes to `forward` encrypts and sends each batch.
package final class Router {
    package static let maximumPending = 256

    package private(set) var producers: [Producer] = []
    var paths: UnsafeMutablePointer<EgressPath>
    package private(set) var pathCount = 0
    private var pathCapacity: Int
    private var freePaths: [Int] = []
    let pending: UnsafeMutablePointer<PendingPacket>
    /// Indices of the pending packets in the order in which they are sent; `maximumPending` of them fit a byte.
    let sendOrder: UnsafeMutablePointer<UInt8>
    package internal(set) var pendingCount = 0
    var pendingBytes = 0
    /// Maximum header length of this session's packets. Without header extensions more paths fit the slab at once.
    var longestHeader = EgressBatch.fixedHeader
    /// True if a consumer has begun to catch up. The caller of `catchUp` resets it.
    package var hasNewCatchUps = false
    /// Switches between encodings or spatial layers that `takeSwitches` has not returned yet. It must be called well within `retirement`.
    var switches: [LayerSwitch] = []
    /// Time at which the next retired consumer is removed.
    var nextSweep: MediaTime = .never
    /// Index of the producer whose consumers catch up first. It rotates, since producers share paths.
    var catchUpTurn = 0
    /// Paths that have dropped packets, by path index; see Router+Drops.
    var pathDrops: [Int: PathDrops] = [:]
    /// Paths in `pathDrops` that `takeDrops` has not returned yet; `heldRequests` has those with a delayed key frame request.
    var droppedPaths: [Int] = []
    var heldRequests: [Int] = []

    package init() {
        pathCapacity = 8
        paths = .allocate(capacity: 8)
        pending = .allocate(capacity: Self.maximumPending)
        sendOrder = .allocate(capacity: Self.maximumPending)
    }

    deinit {
        paths.deallocate()
        pending.deallocate()
        sendOrder.deallocate()
    }

    // MARK: members

    package func add(_ producer: Producer) { producers.append(producer) }

    /// Removes the producer and its consumers. No packet of it may be pending.
    package func remove(_ producer: Producer) {
        precondition(pendingCount == 0)
        forget(producer.core)
        producers.removeAll { $0 === producer }
    }

    /// Adds a path and returns its index.
    package func open(_ path: EgressPath) -> Int {
        if let index = freePaths.popLast() {
            paths[index] = path
            return index
        }
        if pathCount == pathCapacity {
            precondition(pendingCount == 0)
            pathCapacity *= 2
            paths.grow(to: pathCapacity, moving: pathCount)
        }
        (paths + pathCount).initialize(to: path)
        pathCount += 1
        return pathCount - 1
    }

    /// Removes the path and all consumers on it.
    package func close(path: Int) {
        precondition(pendingCount == 0)
        for producer in producers { _ = producer.core.pointee.remove(path: path) }
        paths[path].isOpen = false
        paths[path].sent = nil
        forgetDrops(path: path)
        freePaths.append(path)
    }

    package func path(_ index: Int) -> UnsafeMutablePointer<EgressPath> { paths + index }

    /// Adds a consumer. Unless it is paused, it starts with the cached frames since the last key frame, if there are any.
    /// - Returns: true if the caller must request a key frame.
    package func subscribe(_ consumer: Consumer, to producer: Producer) -> Bool {
        var consumer = consumer
        if consumer.extensions.length != 0 { longestHeader = EgressBatch.maximumHeader }
        if producer.kind == .audio { keepHeaders(of: &consumer) }
        var wantsKeyFrame = false
        if producer.kind == .video, consumer.state != .paused {
            if let start = producer.cachedKeyFrame(), start.pointee.fields.layer <= consumer.layerLimit {
                consumer.begin(at: PendingPacket(producer: producer.core, slot: start), state: .catchingUp)
                producer.core.pointee.catchingUp += 1
                hasNewCatchUps = true
            } else {
                wantsKeyFrame = true
            }
        }
        producer.core.pointee.insert(consumer)
        return wantsKeyFrame
    }

    /// Replaces the header extension block of a track. Under an AEAD suite, packets that were sent before are not sent again then.
    package func setExtensions(_ extensions: HeaderExtensionTemplate, path: Int, producer: Producer) {
        precondition(pendingCount == 0)
        guard let (feeder, consumer) = feedingConsumer(path: path, like: producer) else { return }
        consumer.pointee.extensions = extensions
        if extensions.length != 0 { longestHeader = EgressBatch.maximumHeader }
        if feeder.kind == .audio { keepHeaders(of: &consumer.pointee) }
    }

    /// Sends the cached frames since the last key frame again, for a subscriber that may not have been ready when they were sent. They keep
    /// their timestamps and get new sequence numbers, since a receiver drops numbers that it has passed.
    /// - Parameters:
    ///   - producer: any that has the track.
    ///   - age: if the key frame is newer than this, nothing is sent.
    /// - Returns: true if the track starts again.
    package func startAgain(path: Int, producer: Producer, ifOlderThan age: MediaTime = .zero) -> Bool {
        precondition(pendingCount == 0)
        guard let (feeder, consumer) = feedingConsumer(path: path, like: producer), feeder.kind == .video,
            consumer.pointee.state == .live || consumer.pointee.state == .waiting, consumer.pointee.partner == nil,
            let start = feeder.cachedKeyFrame(), feeder.lastArrival - start.pointee.arrival >= age,
            start.pointee.fields.layer <= consumer.pointee.layerLimit
        else { return false }
        consumer.pointee.cutFrame()
        let packet = PendingPacket(producer: feeder.core, slot: start)
        startCatchingUp(consumer, of: feeder.core, at: packet, cause: .repetition)
        return true
    }

    /// Removes one consumer together with the consumers of the track's other encodings.
    /// - Returns: the progress of the subscriber's stream, or nil if there is no such consumer.
    package func unsubscribe(path: Int, from producer: Producer) -> Consumer.Progress? {
        guard let (_, feeding) = feedingConsumer(path: path, like: producer) else { return nil }
        let progress = feeding.pointee.progress
        let ssrc = feeding.pointee.ssrc
        for producer in producers {
            guard let i = producer.core.pointee.index(path: path), producer.core.pointee.consumers[i].ssrc == ssrc
            else { continue }
            _ = producer.core.pointee.remove(path: path)
        }
        return progress
    }

    /// Sets the highest temporal layer of a consumer. A lower limit applies from the next frame on, a higher one at the first frame that
    /// allows it.
    /// - Parameters:
    ///   - limit: 0...3; 3 means all layers.
    ///   - producer: producer that feeds the track, or will feed it.
    package func setLayerLimit(_ limit: UInt8, path: Int, producer: Producer) {
        guard let i = producer.core.pointee.index(path: path) else { return }
        let consumer = producer.core.pointee.consumers + i
        guard consumer.pointee.state != .retired else { return }
        consumer.pointee.layerLimit = min(limit, LayerCounts.noLimit)
        if consumer.pointee.state == .live || consumer.pointee.state == .adapting {
            consumer.pointee.state = consumer.pointee.level
        }
    }

    /// Pauses or resumes one consumer. Cancels a pending switch to another encoding.
    /// - Returns: true if the caller must request a key frame.
    package func setPaused(_ paused: Bool, path: Int, producer: Producer) -> Bool {
        guard let (feeder, consumer) = feedingConsumer(path: path, like: producer) else { return false }
        if paused {
            cancelSwitch(path: path, producer: feeder, now: consumer.pointee.progress.sentAt)
            if consumer.pointee.state == .catchingUp { feeder.core.pointee.catchingUp -= 1 }
            consumer.pointee.state = .paused
            return false
        }
        guard consumer.pointee.state == .paused else { return false }
        consumer.pointee.state = .waiting
        return feeder.kind == .video
    }

    /// Resumes a consumer so that its subscriber gets video at once: starts with the cached frames since the last key frame, or continues
    /// after the last packet that was sent if that is newer. After `startAnew` on the producer, frames from before it are not used. A frame
    /// that was cut off is not continued.
    /// - Returns: true if the caller must request a key frame.
    package func resume(path: Int, producer: Producer) -> Bool {
        guard let (feeder, consumer) = feedingConsumer(path: path, like: producer), consumer.pointee.state == .paused
        else { return false }
        consumer.pointee.state = .waiting
        guard feeder.kind == .video else { return false }
        var start = feeder.cachedKeyFrame()
        if let layer = start?.pointee.fields.layer, layer > consumer.pointee.layerLimit { start = nil }
        // The consumer cannot continue from packets that were sent before another encoding fed the subscriber.
        if let start, !consumer.pointee.joinsTimestamps, consumer.pointee.sentEnd > start.pointee.sequence {
            // The frames after packets that were discarded, or lost and not retransmitted, cannot be decoded.
            guard !consumer.pointee.isCutOff else { return true }
            // The ring holds all packets since the key frame, including those that this consumer has not sent.
            consumer.pointee.next = consumer.pointee.sentEnd
            consumer.pointee.state = .catchingUp
            feeder.core.pointee.catchingUp += 1
            hasNewCatchUps = true
            return false
        }
        consumer.pointee.cutFrame()
        guard let start else { return true }
        startCatchingUp(consumer, of: feeder.core, at: PendingPacket(producer: feeder.core, slot: start))
        return false
    }
}

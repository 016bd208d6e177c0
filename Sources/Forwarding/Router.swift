package import MediaBase

/// Producers to consumers: the fan-out of one session on one worker. Packets are taken as they come and leave in batches; what has to
/// be sent comes out through the closure handed to `forward`, protected and sent there.
package final class Router {
    package static let maximumPending = 256

    package private(set) var producers: [Producer] = []
    var paths: UnsafeMutablePointer<EgressPath>
    package private(set) var pathCount = 0
    private var pathCapacity: Int
    private var freePaths: [Int] = []
    let pending: UnsafeMutablePointer<PendingPacket>
    package internal(set) var pendingCount = 0
    var pendingBytes = 0
    /// The longest header that a packet of this session can have: without header extensions the slab has room for more paths at once.
    var longestHeader = EgressBatch.fixedHeader
    /// Somebody has begun to catch up; whoever calls `catchUp` resets it.
    package var hasNewCatchUps = false
    /// Switches between encodings that nobody has asked about yet; call `takeSwitches` well within `retirement`.
    var switches: [LayerSwitch] = []
    /// When a consumer that fed its viewer before a switch is dropped.
    var nextSweep: MediaTime = .never
    /// Producer that catches up first, of those that share paths.
    var catchUpTurn = 0
    /// Paths that have dropped packets, by their index; see Router+Drops.
    var pathDrops: [Int: PathDrops] = [:]
    /// Those of them that `takeDrops` has not returned yet, and those with a key frame request that waits.
    var droppedPaths: [Int] = []
    var heldRequests: [Int] = []

    package init() {
        pathCapacity = 8
        paths = .allocate(capacity: 8)
        pending = .allocate(capacity: Self.maximumPending)
    }

    deinit {
        paths.deallocate()
        pending.deallocate()
    }

    // MARK: members

    package func add(_ producer: Producer) { producers.append(producer) }

    /// Drops the producer and its consumers. Nothing of it may be pending.
    package func remove(_ producer: Producer) {
        precondition(pendingCount == 0)
        forget(producer.core)
        producers.removeAll { $0 === producer }
    }

    /// The new path's index.
    package func open(_ path: EgressPath) -> Int {
        if let index = freePaths.popLast() {
            paths[index] = path
            return index
        }
        if pathCount == pathCapacity {
            precondition(pendingCount == 0)
            let grown = UnsafeMutablePointer<EgressPath>.allocate(capacity: pathCapacity * 2)
            grown.moveInitialize(from: paths, count: pathCount)
            paths.deallocate()
            paths = grown
            pathCapacity *= 2
        }
        (paths + pathCount).initialize(to: path)
        pathCount += 1
        return pathCount - 1
    }

    /// Gives the path up with every consumer on it.
    package func close(path: Int) {
        precondition(pendingCount == 0)
        for producer in producers { _ = producer.core.pointee.remove(path: path) }
        paths[path].isOpen = false
        paths[path].sent = nil
        forgetDrops(path: path)
        freePaths.append(path)
    }

    package func path(_ index: Int) -> UnsafeMutablePointer<EgressPath> { paths + index }

    /// Adds a consumer. Unless it is paused, it starts with the cached pictures since the last key frame where there are any.
    /// - Returns: true where a key frame has to be asked for.
    package func subscribe(_ consumer: Consumer, to producer: Producer) -> Bool {
        var consumer = consumer
        if consumer.extensions.length != 0 { longestHeader = EgressBatch.maximumHeader }
        var wantsKeyFrame = false
        if producer.kind == .video, consumer.state != .paused {
            if let start = producer.cachedKeyFrame(), start.pointee.vp8.temporalLayer <= consumer.temporalLimit {
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

    /// Sends a track the cached frames since the last key frame once more, for a subscriber that may not have listened when they went out.
    /// They keep their timestamps and get new sequence numbers, since a receiver drops numbers that it has passed.
    /// - Parameters:
    ///   - producer: any that has the track.
    ///   - age: nothing is sent again if the key frame is newer than this.
    /// - Returns: whether the track begins again.
    package func startAgain(path: Int, producer: Producer, ifOlderThan age: MediaTime = .zero) -> Bool {
        precondition(pendingCount == 0)
        guard let (feeder, consumer) = feedingConsumer(path: path, like: producer), feeder.kind == .video,
            consumer.pointee.state == .live || consumer.pointee.state == .waiting, consumer.pointee.partner == nil,
            let start = feeder.cachedKeyFrame(), feeder.lastArrival - start.pointee.arrival >= age,
            start.pointee.vp8.temporalLayer <= consumer.pointee.temporalLimit
        else { return false }
        consumer.pointee.cutPicture()
        let packet = PendingPacket(producer: feeder.core, slot: start)
        startCatchingUp(consumer, of: feeder.core, at: packet, cause: .repetition)
        return true
    }

    /// Removes one consumer, with those of other encodings that stand for the same track, and says where its viewer's stream stands.
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

    /// Says up to which temporal layer a consumer is to get its producer's pictures. Less is taken from the next picture on, more as soon as
    /// a picture allows it.
    /// - Parameters:
    ///   - limit: 0...3; 3 is everything.
    ///   - producer: that feeds the track, or is to.
    package func setTemporalLimit(_ limit: UInt8, path: Int, producer: Producer) {
        guard let i = producer.core.pointee.index(path: path) else { return }
        let consumer = producer.core.pointee.consumers + i
        guard consumer.pointee.state != .retired else { return }
        consumer.pointee.temporalLimit = min(limit, LayerCounts.noLimit)
        if consumer.pointee.state == .live || consumer.pointee.state == .adapting {
            consumer.pointee.state = consumer.pointee.level
        }
    }

    /// Pauses or resumes one consumer. A switch to another encoding that has not happened is given up.
    /// - Returns: true where a key frame has to be asked for.
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

    /// Resumes a consumer so that its viewer sees something at once: with the cached pictures since the last key frame, or since what it got last
    /// where that is newer. Of a producer that has started anew there are none from before that, and what was abandoned is not gone on with.
    /// - Returns: true where a key frame has to be asked for.
    package func resume(path: Int, producer: Producer) -> Bool {
        guard let (feeder, consumer) = feedingConsumer(path: path, like: producer), consumer.pointee.state == .paused
        else { return false }
        consumer.pointee.state = .waiting
        guard feeder.kind == .video else { return false }
        var start = feeder.cachedKeyFrame()
        if let layer = start?.pointee.vp8.temporalLayer, layer > consumer.pointee.temporalLimit { start = nil }
        // What was sent before another encoding fed the viewer is no place to go on from.
        if let start, !consumer.pointee.joinsTimestamps, consumer.pointee.sentEnd > start.pointee.sequence {
            // With what was thrown away before, or lost and not sent again, its pictures cannot be made out.
            guard !consumer.pointee.isCutOff else { return true }
            // All packets since the key frame are there, those that it has not got as well.
            consumer.pointee.next = consumer.pointee.sentEnd
            consumer.pointee.state = .catchingUp
            feeder.core.pointee.catchingUp += 1
            hasNewCatchUps = true
            return false
        }
        consumer.pointee.cutPicture()
        guard let start else { return true }
        startCatchingUp(consumer, of: feeder.core, at: PendingPacket(producer: feeder.core, slot: start))
        return false
    }
}

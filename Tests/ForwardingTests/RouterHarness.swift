import Forwarding
import MediaBase
import MillraceTestKit
import RTP
import SRTP
import Testing

/// A router with its producers and subscribers in virtual time. Each batch is really encrypted; its messages are checked against the rules
/// of segmentation offload, segmented as the kernel would, and delivered to the subscribers.
final class RouterHarness {
    let router = Router()
    private let protector: FanoutProtector
    private var batch: EgressBatch
    private(set) var subscribers: [Subscriber] = []
    private var subscribersByAddress: [SocketAddress: Subscriber] = [:]
    var now = MediaTime.milliseconds(1_000)
    private(set) var messages = 0
    private(set) var batches = 0
    /// Simulates the kernel: returns the cause if a message to this subscriber is not sent.
    var refuse: ((Subscriber, EgressMessage) -> SendDropCause?)?
    /// The first rule that a batch broke; `throwIfBroken` reports it.
    private var failure: (any Error)?
    private var nextPort: UInt32 = 1024
    private var nextSSRC: UInt32 = 0x7000_0000

    init(maximumSegments: Int = 64, backend: FanoutProtector.Backend = .automatic) {
        batch = EgressBatch(maximumSegments: maximumSegments)
        protector = FanoutProtector(backend)
    }

    deinit {
        for subscriber in subscribers {
            protector.freeContext(subscriber.context)
            subscriber.sent.pointee.deallocate()
            subscriber.sent.deallocate()
        }
    }

    // MARK: members

    /// Returns one subscriber to the track of a source.
    static func watching(
        _ source: SyntheticSource, _ suite: SRTPSuite = .aesCM128HMACSHA1_80, retransmissionBytes: Int = 4 << 20,
        progress: Consumer.Progress = Consumer.Progress(firstSequence: 100), layerLimit: UInt8 = 3
    ) throws -> (RouterHarness, Producer, Subscriber) {
        let harness = RouterHarness()
        let producer = harness.producer(source, retransmissionBytes: retransmissionBytes)
        let subscriber = try harness.subscriber(suite)
        harness.subscribe(subscriber, to: producer, progress: progress, layerLimit: layerLimit)
        return (harness, producer, subscriber)
    }

    func producer(_ source: SyntheticSource, retransmissionBytes: Int = 4 << 20, followsRate: Bool = false) -> Producer
    {
        let producer = Producer(
            .init(
                kind: source.kind, ssrc: source.ssrc, payloadType: source.payloadType,
                retransmissionBytes: retransmissionBytes, followsRate: followsRate), now: now)
        router.add(producer)
        return producer
    }

    func subscriber(_ suite: SRTPSuite = .aesCM128HMACSHA1_80, lane: EgressLane = .plain) throws -> Subscriber {
        let key = SRTPKey.random(for: suite)
        let context = protector.makeContext(key: key)
        nextPort += 1
        let address = try #require(
            SocketAddress(octets: [127, 0, UInt8(nextPort >> 16), 1], port: UInt16(truncatingIfNeeded: nextPort)))
        let ring = UnsafeMutablePointer<SentPacketRing>.allocate(capacity: 1)
        ring.initialize(to: SentPacketRing())
        let path = router.open(
            EgressPath(address: address, context: context, tagLength: suite.tagLength, lane: lane, sent: ring))
        let subscriber = try Subscriber(path: path, key: key, context: context, lane: lane, sent: ring)
        subscribers.append(subscriber)
        subscribersByAddress[address] = subscriber
        return subscriber
    }

    func leave(_ subscriber: Subscriber) {
        router.close(path: subscriber.path)
        subscribersByAddress = subscribersByAddress.filter { $0.value !== subscriber }
    }

    /// - Returns: true if the router requests a key frame.
    @discardableResult
    func subscribe(
        _ subscriber: Subscriber, to producer: Producer, ssrc: SSRC? = nil, payloadType: PayloadType? = nil,
        redPayloadType: PayloadType? = nil,
        progress: Consumer.Progress = Consumer.Progress(firstSequence: 100), rtx: RTXStream? = nil,
        extensions: HeaderExtensionTemplate = HeaderExtensionTemplate(), layerLimit: UInt8 = 3,
        takesRequests: Bool = true
    ) -> Bool {
        nextSSRC += 1
        var consumer = Consumer(
            path: subscriber.path, ssrc: ssrc ?? SSRC(nextSSRC),
            payloadType: payloadType ?? producer.configuration.payloadType, progress: progress,
            layerLimit: layerLimit)
        consumer.rtx = rtx
        consumer.extensions = extensions
        consumer.redPayloadType = redPayloadType
        consumer.takesRequests = takesRequests
        return router.subscribe(consumer, to: producer)
    }

    func consumer(_ subscriber: Subscriber, of producer: Producer) throws -> UnsafeMutablePointer<Consumer> {
        let index = producer.core.pointee.index(path: subscriber.path)
        return producer.core.pointee.consumers + (try #require(index))
    }

    // MARK: packets

    /// Hands a packet to the router, which holds it until `flush`.
    @discardableResult
    func feed(
        _ packet: SourcePacket, to producer: Producer, extensions: RTPExtensionValues = RTPExtensionValues()
    ) throws -> Producer.Outcome {
        if producer.needsRoom {
            try flush()
            producer.makeRoom()
        }
        var slot: UnsafeMutablePointer<StoredPacket>?
        let outcome = packet.payload.withUnsafeBytes {
            producer.receive(packet.header, payload: $0, extensions: extensions, now: now, stored: &slot)
        }
        guard outcome == .forward else { return outcome }
        let stored = try #require(slot)
        if !router.enqueue(stored, of: producer) {
            try flush()
            try #require(router.enqueue(stored, of: producer), "an empty queue takes any packet")
        }
        return outcome
    }

    func feed(_ packets: [SourcePacket], to producer: Producer) throws {
        for packet in packets { #expect(try feed(packet, to: producer) == .forward) }
    }

    func flush() throws {
        router.forward(now: now, into: &batch) { take(&$0) }
        try throwIfBroken()
    }

    /// Runs the worker's tick of one millisecond.
    func catchUp() throws {
        try flush()
        router.catchUp(now: now, into: &batch) { take(&$0) }
        try throwIfBroken()
        now += .milliseconds(1)
    }

    func catchUpCompletely() throws {
        var turns = 0
        while router.isCatchingUp {
            try catchUp()
            turns += 1
            try #require(turns < 10_000)
        }
    }

    func retransmit(_ sequences: [SequenceNumber], to subscriber: Subscriber, of producer: Producer) throws -> Int {
        try flush()
        let sent = router.retransmit(sequences, path: subscriber.path, producer: producer, now: now, into: &batch) {
            take(&$0)
        }
        try throwIfBroken()
        return sent
    }

    func sendPadding(_ bytes: Int, to subscriber: Subscriber, probe: UInt16, repeats: Bool = true) throws -> Int {
        try flush()
        let sent = router.sendPadding(
            bytes: bytes, path: subscriber.path, probe: probe, repeats: repeats, now: now, into: &batch
        ) {
            take(&$0)
        }
        try throwIfBroken()
        return sent
    }

    // MARK: batches

    private func throwIfBroken() throws {
        if let failure { throw failure }
    }

    private func take(_ batch: inout EgressBatch) {
        guard failure == nil else { return }
        do {
            try check(batch)
            protector.protect(batch.jobs, count: batch.jobCount)
            try deliver(&batch)
        } catch {
            failure = error
        }
    }

    private func check(_ batch: borrowing EgressBatch) throws {
        batches += 1
        try #require(batch.jobCount > 0 && batch.jobCount <= EgressBatch.maximumPackets)
        try #require(batch.messageCount > 0 && batch.messageCount <= batch.jobCount)
        let slab = UInt(bitPattern: batch.slab)
        // Packets lie in the slab and do not overlap.
        var areas = (0..<batch.jobCount).map { i in
            let job = batch.jobs[i]
            let start = UInt(bitPattern: job.destination)
            return (start, start + UInt(job.protectedLength))
        }
        areas.sort { $0.0 < $1.0 }
        try #require(areas[0].0 >= slab && areas[areas.count - 1].1 <= slab + UInt(EgressBatch.slabBytes))
        for i in areas.indices.dropFirst() { try #require(areas[i - 1].1 <= areas[i].0, "packets overlap in the slab") }
    }

    private func deliver(_ batch: inout EgressBatch) throws {
        var packets = 0
        for lane in EgressLane.allCases {
            let messages = batch.messages(of: lane)
            for i in messages.indices {
                if let subscriber = subscribersByAddress[messages[i].address.pointee],
                    let cause = refuse?(subscriber, messages[i]),
                    let base = messages.baseAddress
                {
                    packets += messages[i].packets
                    batch.drop(base + i, cause)
                    continue
                }
                packets += try deliver(messages[i], of: lane, maximumSegments: batch.maximumSegments)
            }
        }
        // A run that is segmented at wrong packets would give another number.
        try #require(packets == batch.jobCount)
    }

    /// - Returns: number of datagrams in the message.
    private func deliver(_ message: EgressMessage, of lane: EgressLane, maximumSegments: Int) throws -> Int {
        messages += 1
        let length = Int(message.length)
        let segment = Int(message.segment)
        let count = (length + segment - 1) / segment
        try #require(segment > 0 && length > 0 && length <= 65_000)
        try #require(count <= maximumSegments)
        // An address whose subscriber has left is not registered.
        let subscriber = try #require(subscribersByAddress[message.address.pointee])
        try #require(EgressBatch.path(of: message).pointee.lane == lane && subscriber.lane == lane)
        var at = 0
        while at < length {
            let size = min(segment, length - at)
            try subscriber.streams.receive(Array(UnsafeBufferPointer(start: message.data + at, count: size)))
            at += size
        }
        return count
    }
}

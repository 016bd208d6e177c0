import Forwarding
import MediaBase
import RTP
import SRTP

/// A router with one audio producer and two encodings of a video track, and three subscribers.
final class RoutedSession {
    private static let videoSSRC = SSRC(0x2000)
    private static let suite = SRTPSuite.aesCM128HMACSHA1_80

    private let router = Router()
    private let protector = FanoutProtector(.evp)
    private var batch = EgressBatch(maximumSegments: 64)
    private var publishers: [HostilePublisher] = []
    private var contexts: [UnsafeMutablePointer<EgressContext>] = []
    private var sent: [UnsafeMutablePointer<SentPacketRing>] = []
    private var now = MediaTime.seconds(1)
    /// Packet indexes that were already sent, by SSRC: a second use of one would reuse a keystream.
    private var used: [UInt64: Set<UInt64>] = [:]
    private var violation: FuzzViolation?

    init() throws(FuzzViolation) {
        for (kind, ssrc) in [(MediaKind.audio, 10), (.video, 11), (.video, 12)] as [(MediaKind, UInt32)] {
            let publisher = HostilePublisher(kind: kind, ssrc: SSRC(ssrc), now: now)
            router.add(publisher.producer)
            publishers.append(publisher)
        }
        guard let key = try? SRTPKey(suite: Self.suite, bytes: [UInt8](repeating: 9, count: 30)) else {
            throw FuzzViolation("there is no key")
        }
        for number in 0..<3 { open(number, key) }
    }

    deinit {
        for context in contexts { protector.freeContext(context) }
        for ring in sent {
            ring.pointee.deallocate()
            ring.deallocate()
        }
    }

    func apply(_ code: UInt8, _ input: inout FuzzInput) throws(FuzzViolation) {
        if code < 0x80 { return try publish(publishers[Int(code) % 3], code, &input) }
        try flush()
        let path = Int(code & 0x60) >> 5 % 3
        let video = feeder(path: path)
        switch code & 0x1f {
        case 0...3: now += .milliseconds(Int64(input.u8()))
        case 4: now += .milliseconds(Int64(input.u16()) * 10)
        case 5...7: router.catchUp(now: now, into: &batch) { take(&$0, areNew: true) }
        case 8, 9: retransmit(path, video ?? publishers[0].producer, &input)
        case 10: retransmit(path, publishers[0].producer, &input)
        case 11: sendPadding(path, input.u16())
        case 12, 13:
            guard let video else { break }
            _ = router.switchConsumer(
                path: path, from: video, to: publishers[1 + input.below(2)].producer,
                layerLimit: input.u8() & 3, now: now)
        case 14: if let video { router.cancelSwitch(path: path, producer: video, now: now) }
        case 15: _ = router.setPaused(true, path: path, producer: video ?? publishers[0].producer)
        case 16: _ = router.setPaused(false, path: path, producer: video ?? publishers[0].producer)
        case 17: _ = router.resume(path: path, producer: video ?? publishers[0].producer)
        case 18: if let video { router.setLayerLimit(input.u8() & 3, path: path, producer: video) }
        case 19: if let video { _ = router.abandon(path: path, producer: video) }
        case 20: router.path(path).pointee.pacing.setRate(.kilobits(Int64(input.u16())), now: now)
        case 21: publishers[input.below(3)].producer.setMuted(input.u8() & 1 == 0)
        case 22: publishers[input.below(3)].producer.startAnew()
        case 23: publishers[input.below(3)].restart(&input)
        case 24...26: try publishers[input.below(3)].report(now: now, &input)
        default: _ = router.takeSwitches()
        }
        if let violation { throw violation }
    }

    /// Sends all queued packets.
    func flush() throws(FuzzViolation) {
        router.forward(now: now, into: &batch) { take(&$0, areNew: true) }
        if let violation { throw violation }
    }

    private func publish(_ publisher: HostilePublisher, _ code: UInt8, _ input: inout FuzzInput) throws(FuzzViolation) {
        guard let slot = publisher.send(code, &input, now: now) else { return }
        guard !router.enqueue(slot, of: publisher.producer) else { return }
        try flush()
        try require(router.enqueue(slot, of: publisher.producer), "an empty queue refuses a packet")
    }

    private func open(_ number: Int, _ key: SRTPKey) {
        let context = protector.makeContext(key: key)
        contexts.append(context)
        let ring = UnsafeMutablePointer<SentPacketRing>.allocate(capacity: 1)
        ring.initialize(to: SentPacketRing())
        sent.append(ring)
        let address = SocketAddress(octets: [127, 0, 0, 1], port: UInt16(5_000 + number)) ?? SocketAddress()
        let path = router.open(
            EgressPath(address: address, context: context, tagLength: Self.suite.tagLength, lane: .webRTC, sent: ring))
        var map = RTPExtensionMap()
        map[.transportWideCC] = 3
        map[.absSendTime] = 4
        map[.absCaptureTime] = 5
        for publisher in publishers.prefix(2) {
            let isVideo = publisher.producer.kind == .video
            var consumer = Consumer(
                path: path, ssrc: isVideo ? Self.videoSSRC : SSRC(0x1000), payloadType: PayloadType(isVideo ? 96 : 111),
                progress: .init(firstSequence: 0x7f00, firstRTXSequence: 0x7f00))
            if isVideo, number > 0 { consumer.rtx = RTXStream(ssrc: SSRC(0x3000), payloadType: PayloadType(97)) }
            if number > 0 {
                consumer.extensions = HeaderExtensionTemplate(map: map, kind: publisher.producer.kind)
            }
            _ = router.subscribe(consumer, to: publisher.producer)
        }
    }

    private func feeder(path: Int) -> Producer? { router.feeder(path: path, ssrc: Self.videoSSRC) }

    private func retransmit(_ path: Int, _ producer: Producer, _ input: inout FuzzInput) {
        let latest = router.latestSequence(path: path, producer: producer) ?? SequenceNumber(input.u16())
        let back = input.u8()
        let step = input.u8()
        let sequences = (0..<input.below(64)).map { latest.advanced(by: -(Int(back) + Int(step) * $0)) }
        // On the media stream the packets are the same as before; on an RTX stream they are new.
        _ = router.retransmit(sequences, path: path, producer: producer, now: now, into: &batch) {
            take(&$0, areNew: false)
        }
    }

    private func sendPadding(_ path: Int, _ bytes: UInt16) {
        _ = router.sendPadding(bytes: Int(bytes), path: path, probe: 1, now: now, into: &batch) {
            take(&$0, areNew: true)
        }
    }

    /// Checks the packets of a batch: each lies in the slab and is a whole RTP packet, and no packet index is used twice.
    private func take(_ batch: inout EgressBatch, areNew: Bool) {
        guard violation == nil else { return }
        let slab = UInt(bitPattern: batch.slab)
        do throws(FuzzViolation) {
            try require(batch.jobCount <= EgressBatch.maximumPackets, "\(batch.jobCount) packets")
            for index in 0..<batch.jobCount {
                let job = batch.jobs[index]
                let start = UInt(bitPattern: job.destination)
                let length = job.protectedLength
                try require(
                    start >= slab && start + UInt(length) <= slab + UInt(EgressBatch.slabBytes), "a packet is outside")
                try check(job, areNew: areNew)
            }
        } catch {
            violation = error
        }
        protector.protect(batch.jobs, count: batch.jobCount)
    }

    private func check(_ job: ProtectJob, areNew: Bool) throws(FuzzViolation) {
        let bytes = UnsafeRawBufferPointer(start: job.destination, count: Int(job.headerLength + job.payloadLength))
        guard let header = try? RTPHeader(parsingProtected: bytes) else { throw FuzzViolation("a packet is not read") }
        try require(header.payloadOffset <= Int(job.headerLength), "a header of \(header.payloadOffset) bytes")
        try require(
            header.ssrc.rawValue == job.ssrc && header.sequenceNumber.rawValue == UInt16(truncatingIfNeeded: job.index),
            "the header is not that of the index")
        try require(job.index >> 48 == 0, "the index \(job.index) is beyond 48 bits")
        guard areNew || job.ssrc == 0x3000 else { return }
        let stream = UInt64(UInt(bitPattern: job.context)) << 16 ^ UInt64(job.ssrc)
        try require(used[stream, default: []].insert(job.index).inserted, "the index \(job.index) goes out twice")
    }
}

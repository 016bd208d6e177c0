package import MediaBase
import RTP
package import SRTP

/// Batch of packets that are sent together: a slab with the rewritten headers, a job per packet that encrypts it into the slab, and per
/// lane the messages to send. The jobs are ordered packet by packet, so that packets of equal length are adjacent. Each worker has one
/// batch and reuses it.
package struct EgressBatch: ~Copyable {
    /// Size of the slab in bytes: the maximum that one path gets in one flush.
    package static let slabBytes = 384 << 10
    /// Bytes of the slab that a group of paths uses, unless a single path needs more. These bytes and the group's keys fit the L2 cache, so
    /// that encrypted packets are still cached when the kernel copies them.
    package static let groupBytes = 192 << 10
    package static let maximumPackets = 2048
    package static let fixedHeader = 12
    /// Maximum length of the fixed header, the header extension and the original sequence number of a retransmission.
    package static let maximumHeader = fixedHeader + HeaderExtensionTemplate.maximumBlock + 4
    /// Length of the longest SRTP tag (AEAD_AES_128_GCM).
    package static let maximumTag = 16

    package let slab: UnsafeMutablePointer<UInt8>
    package let jobs: UnsafeMutablePointer<ProtectJob>
    package var jobCount = 0
    /// Messages, lane after lane, `maximumPackets` per lane.
    private let messageStore: UnsafeMutablePointer<EgressMessage>
    private let messageCounts: UnsafeMutablePointer<Int>
    /// Arrival time of the oldest packet, for measuring the delay that the relay adds.
    package var oldestArrival: MediaTime = .never
    /// True if at least one message was not sent.
    package private(set) var hasDrops = false

    /// Maximum number of segments that the kernel accepts in one message; 1 without segmentation offload.
    package var maximumSegments: Int
    private static let maximumMessageBytes = 65_000

    /// Sink for values that are read only to load them into the cache.
    var fetched: UInt32 = 0

    /// Send time of the packets.
    package private(set) var now: MediaTime = .zero
    /// Send time as abs-send-time: 24 bits of 6.18 fixed point, in seconds.
    private var sendTime: UInt32 = 0

    package init(maximumSegments: Int) {
        slab = UnsafeMutableRawPointer.allocate(byteCount: Self.slabBytes, alignment: 64).assumingMemoryBound(
            to: UInt8.self)
        jobs = .allocate(capacity: Self.maximumPackets)
        messageStore = .allocate(capacity: Self.maximumPackets * EgressLane.allCases.count)
        messageCounts = .allocate(capacity: EgressLane.allCases.count)
        messageCounts.initialize(repeating: 0, count: EgressLane.allCases.count)
        self.maximumSegments = maximumSegments
    }

    deinit {
        UnsafeMutableRawPointer(slab).deallocate()
        jobs.deallocate()
        messageStore.deallocate()
        messageCounts.deallocate()
    }

    /// Returns the messages of one lane.
    package func messages(of lane: EgressLane) -> UnsafeMutableBufferPointer<EgressMessage> {
        UnsafeMutableBufferPointer(
            start: messageStore + lane.rawValue * Self.maximumPackets, count: messageCounts[lane.rawValue])
    }

    /// Number of messages in all lanes.
    package var messageCount: Int {
        var count = 0
        for lane in EgressLane.allCases { count += messageCounts[lane.rawValue] }
        return count
    }

    /// Returns the path of a message of this batch. Valid until the router's path array is reallocated.
    package static func path(of message: EgressMessage) -> UnsafePointer<EgressPath> {
        UnsafeRawPointer(message.address).assumingMemoryBound(to: EgressPath.self)
    }

    package mutating func removeAll() {
        jobCount = 0
        for lane in EgressLane.allCases { messageCounts[lane.rawValue] = 0 }
        oldestArrival = .never
        hasDrops = false
    }

    /// Records that a message of this batch was not sent. Call this while the batch is being sent.
    package mutating func drop(_ message: UnsafeMutablePointer<EgressMessage>, _ cause: SendDropCause) {
        message.pointee.setDrop(cause)
        hasDrops = true
    }

    mutating func begin(now: MediaTime) {
        self.now = now
        sendTime = AbsoluteSendTime(now).rawValue
    }

    /// Maximum bytes that one packet needs in the slab.
    /// - Parameter header: maximum length of its header.
    @inline(__always)
    static func bytes(payload: Int, header: Int) -> Int { header + payload + maximumTag }

    /// Adds one packet to `path` at its cursor: writes the header, and adds the job and the message.
    /// - Parameter sequence: the consumer's unwrapped sequence number.
    @inline(__always)
    mutating func append(
        _ packet: UnsafePointer<PendingPacket>, sequence: Int64, rewrite: borrowing RTPRewrite,
        of consumer: UnsafePointer<Consumer>, to path: UnsafeMutablePointer<EgressPath>
    ) {
        let destination = path.pointee.cursor.unsafelyUnwrapped
        let ssrc = consumer.pointee.ssrc.rawValue
        let leftOut = packet.pointee.leftOut(for: consumer)
        let payload = packet.pointee.payload + leftOut
        let length = packet.pointee.payloadLength &- leftOut
        let header = writeHeader(
            packet.pointee.firstByte, packet.pointee.extensions,
            timestamp: packet.pointee.timestamp &+ rewrite.timestampOffset, ssrc: ssrc,
            payloadType: packet.pointee.markerBit | rewrite.addedMarkerBit(packet.pointee)
                | packet.pointee.payloadType(for: consumer),
            sequence: sequence, of: consumer, payloadLength: length, payload: payload,
            frameNumberOffset: rewrite.frameNumberOffset, to: path)
        var source = UnsafePointer(payload)
        if rewrite.patchesPayload {
            let copy = destination + header
            copy.update(from: payload, count: length)
            rewrite.patch(copy, packet.pointee)
            source = UnsafePointer(copy)
        }
        finish(ssrc: ssrc, sequence: sequence, source: source, header: header, payloadLength: length, to: path)
    }

    /// Writes the fixed header and the header extension at the path's cursor. Records the packet in the path's `SentPacketRing`.
    /// - Parameters:
    ///   - firstByte: version and padding bit.
    ///   - payloadType: payload type with the marker bit.
    ///   - payload: payload in the ring, with the dependency descriptor of `passed` behind it.
    ///   - frameNumberOffset: added to the descriptor's frame number.
    ///   - probe: number of the probe that the packet is sent for; 0 if none.
    /// - Returns: length of both, in bytes.
    @inline(__always)
    func writeHeader(
        _ firstByte: UInt8, _ passed: PassedExtensions, timestamp: UInt32, ssrc: UInt32, payloadType: UInt8,
        sequence: Int64,
        of consumer: UnsafePointer<Consumer>, payloadLength: Int, payload: UnsafePointer<UInt8>? = nil,
        frameNumberOffset: UInt16 = 0,
        probe: UInt16 = 0, to path: UnsafeMutablePointer<EgressPath>
    ) -> Int {
        let raw = UnsafeMutableRawPointer(path.pointee.cursor.unsafelyUnwrapped)
        let hasExtensions = consumer.pointee.extensions.length != 0
        Self.writeFixedHeader(
            hasExtensions ? firstByte | 0x10 : firstByte, timestamp: timestamp, ssrc: ssrc, payloadType: payloadType,
            sequence: sequence, to: raw)
        guard hasExtensions else { return Self.fixedHeader }
        let block = consumer.pointee.extensions.length(with: passed)
        let whole = Self.fixedHeader + block + payloadLength + path.pointee.tagLength
        var number: UInt16 = 0
        if consumer.pointee.extensions.hasNumber, let sent = path.pointee.sent {
            number = sent.pointee.append(bytes: whole, probe: probe, now: now)
        }
        if let log = consumer.pointee.sentHeaders { log.note(sequence, number: number, sendTime: sendTime) }
        consumer.pointee.extensions.write(
            to: raw + Self.fixedHeader, passed, blockLength: block, sendTime: sendTime, number: number,
            payload: payload, frameNumberOffset: frameNumberOffset)
        return Self.fixedHeader + block
    }

    /// - Parameters:
    ///   - firstByte: version, padding bit and extension bit.
    ///   - payloadType: payload type with the marker bit.
    @inline(__always)
    static func writeFixedHeader(
        _ firstByte: UInt8, timestamp: UInt32, ssrc: UInt32, payloadType: UInt8, sequence: Int64,
        to raw: UnsafeMutableRawPointer
    ) {
        var first = UInt32(firstByte) << 24 | UInt32(payloadType) << 16
        first |= UInt32(truncatingIfNeeded: sequence & 0xffff)
        raw.storeBytes(of: first.bigEndian, as: UInt32.self)
        raw.storeBytes(of: timestamp.bigEndian, toByteOffset: 4, as: UInt32.self)
        raw.storeBytes(of: ssrc.bigEndian, toByteOffset: 8, as: UInt32.self)
    }

    /// Adds the job of a packet whose header has been written at the path's cursor. Appends the packet to the path's current message or
    /// starts a new one.
    @inline(__always)
    mutating func finish(
        ssrc: UInt32, sequence: Int64, source: UnsafePointer<UInt8>, header: Int, payloadLength: Int,
        to path: UnsafeMutablePointer<EgressPath>
    ) {
        let destination = path.pointee.cursor.unsafelyUnwrapped
        jobs[jobCount] = ProtectJob(
            context: path.pointee.context, ssrc: ssrc, index: UInt64(bitPattern: sequence) & 0xffff_ffff_ffff,
            source: source,
            destination: destination, headerLength: UInt32(header), payloadLength: UInt32(payloadLength))
        jobCount += 1

        let length = UInt32(header + payloadLength + path.pointee.tagLength)
        path.pointee.cursor = destination + Int(length)
        path.pointee.pacing.spend(length)
        let lane = path.pointee.lane.rawValue
        let messages = messageStore + lane &* Self.maximumPackets
        let m = path.pointee.message
        if m >= 0 {
            // A message can take more packets while all of its packets are `segment` bytes long.
            let message = messages + m
            let segment = message.pointee.segment
            if length <= segment, message.pointee.length % segment == 0,
                message.pointee.length < segment * UInt32(maximumSegments),
                message.pointee.length + length <= UInt32(Self.maximumMessageBytes)
            {
                message.pointee.length += length
                return
            }
        }
        let next = messageCounts[lane]
        path.pointee.message = next
        messages[next] = EgressMessage(
            data: UnsafePointer(destination), address: Self.address(of: path), length: length, segment: length,
            local: path.pointee.local, socket: path.pointee.socket)
        messageCounts[lane] = next + 1
    }

    @inline(__always)
    private static func address(of path: UnsafeMutablePointer<EgressPath>) -> UnsafePointer<SocketAddress> {
        // The address is the path's first field.
        UnsafeRawPointer(path).assumingMemoryBound(to: SocketAddress.self)
    }
}

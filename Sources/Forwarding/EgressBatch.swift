package import MediaBase
package import SRTP

/// One or more datagrams for one address, lying one after another in the slab: `segment` bytes each, the last may be shorter.
/// Laid out as the C sender's message.
package struct EgressMessage {
    package var data: UnsafePointer<UInt8>
    package var address: UnsafePointer<SocketAddress>
    package var length: UInt32
    package var segment: UInt32

    package init(
        data: UnsafePointer<UInt8>, address: UnsafePointer<SocketAddress>, length: UInt32, segment: UInt32
    ) {
        self.data = data
        self.address = address
        self.length = length
        self.segment = segment
    }
}

/// Packets that leave together: a slab with the rewritten headers, the jobs that protect each packet into it (packet by packet, so that
/// packets of equal length stand side by side), and the messages that send it. One a worker, used again and again.
package struct EgressBatch: ~Copyable {
    /// Room for what one path gets in one flush at the most.
    package static let slabBytes = 384 << 10
    /// What a group of paths takes of the slab where a path needs less than that: it and the group's keys fit the second-level cache, so
    /// that what was protected is still there when the kernel copies it.
    package static let groupBytes = 192 << 10
    package static let maximumPackets = 2048
    package static let headerLength = 12
    /// The longest SRTP tag (AEAD_AES_128_GCM).
    package static let maximumTag = 16

    package let slab: UnsafeMutablePointer<UInt8>
    package let jobs: UnsafeMutablePointer<ProtectJob>
    package let messages: UnsafeMutablePointer<EgressMessage>
    package var jobCount = 0
    package var messageCount = 0
    /// Arrival of the oldest and number of packets, for the delay that the relay adds.
    package var oldestArrival: MediaTime = .never

    /// Segments that the kernel takes in one message; 1 without segmentation offload.
    package var maximumSegments: Int
    private static let maximumMessageBytes = 65_000

    package init(maximumSegments: Int) {
        slab = UnsafeMutableRawPointer.allocate(byteCount: Self.slabBytes, alignment: 64).assumingMemoryBound(
            to: UInt8.self)
        jobs = .allocate(capacity: Self.maximumPackets)
        messages = .allocate(capacity: Self.maximumPackets)
        self.maximumSegments = maximumSegments
    }

    deinit {
        UnsafeMutableRawPointer(slab).deallocate()
        jobs.deallocate()
        messages.deallocate()
    }

    package mutating func removeAll() {
        jobCount = 0
        messageCount = 0
        oldestArrival = .never
    }

    /// Bytes that one packet takes at most.
    @inline(__always)
    static func bytes(payload: Int) -> Int { headerLength + payload + maximumTag }

    /// Adds one packet to `path` at its cursor: header written, job and message noted.
    @inline(__always)
    mutating func append(
        _ packet: borrowing PendingPacket, rewrite: borrowing RTPRewrite, ssrc: UInt32, payloadType: UInt8,
        to path: UnsafeMutablePointer<EgressPath>
    ) {
        let destination = path.pointee.cursor.unsafelyUnwrapped
        let sequence = rewrite.sequence(of: packet.sequence)
        let raw = UnsafeMutableRawPointer(destination)
        let first = UInt32(packet.firstByte) << 24 | UInt32(packet.markerBit | payloadType) << 16
        raw.storeBytes(of: (first | UInt32(truncatingIfNeeded: sequence & 0xffff)).bigEndian, as: UInt32.self)
        raw.storeBytes(of: (packet.timestamp &+ rewrite.timestampOffset).bigEndian, toByteOffset: 4, as: UInt32.self)
        raw.storeBytes(of: ssrc.bigEndian, toByteOffset: 8, as: UInt32.self)

        var source = UnsafePointer(packet.payload)
        if rewrite.patchesPayload {
            let copy = destination + Self.headerLength
            copy.update(from: packet.payload, count: packet.payloadLength)
            rewrite.patch(copy, packet.vp8)
            source = UnsafePointer(copy)
        }
        jobs[jobCount] = ProtectJob(
            leg: path.pointee.leg, ssrc: ssrc, index: UInt64(bitPattern: sequence) & 0xffff_ffff_ffff, source: source,
            destination: destination, headerLength: UInt32(Self.headerLength),
            payloadLength: UInt32(packet.payloadLength))
        jobCount += 1

        let length = UInt32(Self.headerLength + packet.payloadLength + path.pointee.tagLength)
        path.pointee.cursor = destination + Int(length)
        let m = path.pointee.message
        if m >= 0 {
            // A message is open for more while all its packets so far are `segment` bytes long.
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
        path.pointee.message = messageCount
        messages[messageCount] = EgressMessage(
            data: UnsafePointer(destination), address: Self.address(of: path), length: length, segment: length)
        messageCount += 1
    }

    @inline(__always)
    private static func address(of path: UnsafeMutablePointer<EgressPath>) -> UnsafePointer<SocketAddress> {
        // The address is the path's first field.
        UnsafeRawPointer(path).assumingMemoryBound(to: SocketAddress.self)
    }
}

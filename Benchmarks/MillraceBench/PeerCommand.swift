import ArgumentParser
import CLinuxNet
import Foundation
import MediaBase
import MediaEngine
import RTP
import SRTP

/// Order from the parent to the peer.
struct PeerOrder: Codable {
    struct Publisher: Codable {
        var ssrc: UInt32
        var payloadType: UInt8
        var port: UInt16
        var suite: String
        var key: String
        var isVideo: Bool
        /// `VideoCodec` of a video publisher; nil: VP8.
        var codec: String?
    }

    var publishers: [Publisher]
    /// RTP payload bytes of each packet, on average.
    var payload: Int
    /// Maximum difference of a packet's payload from `payload` in bytes: the sizes of Opus vary with the content.
    var variation = 0
    /// Packets of each publisher's frames.
    var burst: Int
    var perSecond: Double
    var seconds: Double
    /// Whether publishers send at the same moment, or each at its own time within the interval.
    var together: Bool
    var pacing = VideoPacing.burst
    /// Whether the last 8 bytes of each payload are the time at which the packet was made, in nanoseconds of the monotonic clock.
    var isStamped = false
}

/// Peers of the fan-out: subscribers' sockets that are bound and never read, and publishers that send in real time. Runs as a separate
/// process, so that its CPU time is not counted as the relay's.
struct PeerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "peer", shouldDisplay: false)

    @Option var sinks: Int
    @Option var base: Int

    func run() throws {
        // Smallest receive buffer: the kernel runs the whole receive path and drops at the socket, as in the C baseline.
        for i in 0..<sinks { _ = try bound(port: UInt16(base + i), receiveBuffer: 1) }
        print("ready")
        fflush(nil)
        while let line = readLine() {
            let order = try JSONDecoder().decode(PeerOrder.self, from: Data(line.utf8))
            let sent = try send(order)
            print("sent \(sent)")
            fflush(nil)
        }
    }

    private func bound(port: UInt16, receiveBuffer: Int32) throws -> Int32 {
        var address = millrace_address(SocketAddress("127.0.0.1", port: port)!)
        let fd = millrace_udp_open(&address, receiveBuffer, 4 << 20, 0)
        guard fd >= 0 else { throw ValidationError("port \(port): errno \(-fd)") }
        return fd
    }

    private final class Publisher {
        let order: PeerOrder.Publisher
        let context: SRTPContext
        var sequence: UInt16
        var timestamp: UInt32 = 0
        var pictureID: UInt16 = 0
        var to: millrace_address
        private var random: UInt64

        /// Number of 0..<limit, the same in every run.
        func next(below limit: Int) -> Int {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(random >> 33) % limit
        }

        init(_ order: PeerOrder.Publisher, to: millrace_address) throws {
            self.order = order
            self.to = to
            let key = try SRTPKey(suite: SRTPSuite(sdesName: order.suite)!, inline: order.key)
            context = try SRTPContext(key: key, direction: .outbound)
            sequence = UInt16.random(in: 0..<1000)
            random = UInt64(order.port) << 32 | UInt64(order.ssrc)
        }
    }

    private func send(_ order: PeerOrder) throws -> Int {
        let publishers = try order.publishers.map {
            try Publisher($0, to: millrace_address(SocketAddress("127.0.0.1", port: $0.port)!))
        }
        let fd = try bound(port: 0, receiveBuffer: 1 << 20)
        let sender = millrace_sender_new(64)
        defer {
            millrace_close(fd)
            millrace_sender_free(sender)
        }
        let interval = 1e9 / order.perSecond
        let start = millrace_monotonic_ns()
        let slots = order.pacing.slots(
            of: publishers, packets: order.burst, interval: interval, together: order.together)
        var sent = 0
        var turn = 0
        let none = [Int32](repeating: -1, count: 1)
        while true {
            let due = start + Int64(Double(turn) * interval)
            if due - start > Int64(order.seconds * 1e9) { break }
            for slot in slots {
                let wait = due + Int64(slot.offset) - millrace_monotonic_ns()
                if wait > 0 { _ = millrace_wait(none, 0, wait) }
                sent += try send(slot.packets, of: slot.publisher, order, isKeyFrame: turn % 30 == 0, fd, sender)
            }
            turn += 1
        }
        return sent
    }

    /// Returns the first bytes of a payload, by which the relay finds frames and key frames.
    private static func head(
        of codec: VideoCodec, _ pictureID: UInt16, isFirst: Bool, isLast: Bool, isKeyFrame: Bool
    ) -> [UInt8] {
        let number: [UInt8] = [0x80 | UInt8(pictureID >> 8 & 0x7f), UInt8(truncatingIfNeeded: pictureID)]
        func bit(_ value: UInt8, if condition: Bool) -> UInt8 { condition ? value : 0 }
        switch codec {
        case .vp8:
            // The payload descriptor (RFC 7741 section 4.2). The frame tag after it (RFC 6386 section 9.1) has a first partition of no bytes;
            // a key frame is one of 640x360.
            let descriptor = [isFirst ? 0x90 : 0x80, 0x80] + number
            guard isFirst else { return descriptor }
            return descriptor + (isKeyFrame ? [0x10, 0, 0, 0x9d, 0x01, 0x2a, 0x80, 0x02, 0x68, 0x01] : [0x11, 0, 0])
        case .h264:
            // FU-A (RFC 6184 section 5.8) of an IDR slice (5) or another one (1). The set bit after it is the frame's first macroblock.
            let type: UInt8 = isKeyFrame ? 5 : 1
            return [0x7c, type | bit(0x80, if: isFirst) | bit(0x40, if: isLast), bit(0x80, if: isFirst)]
        case .vp9:
            let first: UInt8 = 0x80 | bit(0x40, if: !isKeyFrame) | bit(0x08, if: isFirst) | bit(0x04, if: isLast)
            return [first] + number
        case .av1:
            // The payload is one element, a part of a frame OBU; N marks a key frame.
            let first: UInt8 = 0x10 | bit(0x80, if: !isFirst) | bit(0x40, if: !isLast)
            return [first | bit(0x08, if: isFirst && isKeyFrame), 0x30]
        }
    }

    /// Sends packets of a publisher's frame together.
    /// - Returns: their number.
    private func send(
        _ packets: Range<Int>, of publisher: Publisher, _ order: PeerOrder, isKeyFrame: Bool, _ fd: Int32,
        _ sender: OpaquePointer?
    ) throws -> Int {
        let stride = 2048
        let slab = UnsafeMutablePointer<UInt8>.allocate(capacity: stride * packets.count)
        defer { slab.deallocate() }
        var messages: [millrace_message] = []
        for i in packets {
            let bytes = slab + (i - packets.lowerBound) * stride
            let packet = UnsafeMutableRawPointer(bytes)
            let marker = i == order.burst - 1 && publisher.order.isVideo
            packet.storeBytes(of: 0x80, as: UInt8.self)
            packet.storeBytes(of: publisher.order.payloadType | (marker ? 0x80 : 0), toByteOffset: 1, as: UInt8.self)
            packet.storeBytes(of: publisher.sequence.bigEndian, toByteOffset: 2, as: UInt16.self)
            packet.storeBytes(of: publisher.timestamp.bigEndian, toByteOffset: 4, as: UInt32.self)
            packet.storeBytes(of: publisher.order.ssrc.bigEndian, toByteOffset: 8, as: UInt32.self)
            let payload = order.payload - order.variation + publisher.next(below: 2 * order.variation + 1)
            for b in 0..<payload {
                packet.storeBytes(of: UInt8(truncatingIfNeeded: b &* 7 &+ i), toByteOffset: 12 + b, as: UInt8.self)
            }
            if publisher.order.isVideo {
                let descriptor = Self.head(
                    of: publisher.order.codec.flatMap(VideoCodec.init(rawValue:)) ?? .vp8, publisher.pictureID,
                    isFirst: i == 0,
                    isLast: marker, isKeyFrame: isKeyFrame)
                for (at, byte) in descriptor.enumerated() {
                    packet.storeBytes(of: byte, toByteOffset: 12 + at, as: UInt8.self)
                }
            } else {
                // TOC of a mono packet of 20 ms (RFC 6716 section 3.1): CELT, full band.
                packet.storeBytes(of: 0xf8, toByteOffset: 12, as: UInt8.self)
            }
            if order.isStamped {
                packet.storeBytes(of: millrace_monotonic_ns(), toByteOffset: 12 + payload - 8, as: Int64.self)
            }
            publisher.sequence &+= 1
            var length = 12 + payload
            try publisher.context.protect(packet, length: &length, capacity: stride)
            withUnsafePointer(to: &publisher.to) {
                messages.append(
                    millrace_message(
                        data: bytes, to: $0, length: UInt32(length), segment: 0, local: 0,
                        socket: 0, mark: 0, error: 0))
            }
        }
        if packets.upperBound == order.burst {
            publisher.timestamp &+= UInt32((publisher.order.isVideo ? 90_000 : 48_000) / order.perSecond)
            publisher.pictureID &+= 1
        }
        var error: Int32 = 0
        var calls: UInt64 = 0
        let refused = millrace_send(sender, fd, messages, Int32(messages.count), &error, &calls)
        guard refused == 0 else { throw ValidationError("send: errno \(error)") }
        return packets.count
    }
}

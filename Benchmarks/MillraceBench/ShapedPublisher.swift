import CLinuxNet
import DTLS
import LoadGenerator
import MediaBase
import RTP
import SDP
import SRTP
import Transport
import WebRTCClient

/// WHIP publisher of synthetic VP8 or Opus with its socket. The payloads carry what relays read of them: descriptors, key frames, levels.
final class ShapedPublisher {
    private static let slots: Int32 = 64

    let descriptor: Int32
    private let order: EndpointsOrder
    private let endpoint: WebRTCEndpoint
    private let receiver: OpaquePointer
    private let sender: OpaquePointer
    private let name: String
    private var resource = ConnectionResource.location(nil)
    private var wantsKeyFrame = true
    private var pictureID: UInt16 = 0
    private var captured = MediaTime.zero
    private var random: UInt64
    private(set) var isEnded = false
    private(set) var sent = 0
    private(set) var refused = 0
    private(set) var keyFrameRequests = 0

    var isConnected: Bool { endpoint.isConnected }
    var resent: Int { Int(endpoint.statistics.retransmissions) }

    init(_ number: Int, _ order: EndpointsOrder, identity: DTLSIdentity) throws {
        guard let local = SocketAddress(order.address, port: 0), let suite = SRTPSuite(sdesName: order.suite) else {
            throw BenchError("address or suite")
        }
        var address = millrace_address(local)
        descriptor = millrace_udp_open(&address, 1 << 20, 4 << 20, 0)
        var bound = millrace_address()
        guard descriptor >= 0, millrace_udp_local(descriptor, &bound) >= 0,
            let receiver = millrace_receiver_new(Self.slots, 2048), let sender = millrace_sender_new(Self.slots)
        else { throw BenchError("a publisher's socket at \(order.address)") }
        self.receiver = receiver
        self.sender = sender
        self.order = order
        name = order.stream(number)
        random = UInt64(number) &* 0x9e37_79b9_7f4a_7c15 &+ 1
        var generator = SystemRandomNumberGenerator()
        var configuration = WebRTCEndpoint.Configuration.publisher(
            identity: identity, audio: !order.isVideo, video: order.isVideo, using: &generator)
        configuration.suites = [suite]
        configuration.candidates = [
            ICECandidate(
                foundation: "1", transport: .udp, priority: 2_130_706_431, host: order.address,
                port: SocketAddress(bound)?.port ?? 0)
        ]
        endpoint = WebRTCEndpoint(configuration)
    }

    deinit {
        millrace_close(descriptor)
        millrace_receiver_free(receiver)
        millrace_sender_free(sender)
    }

    func offer(to relay: HTTPRelay) async throws {
        let answer = try await relay.offer(
            endpoint.offer.text, .publish, session: order.session, stream: name)
        resource = answer.resource
        try endpoint.accept(Array(answer.sdp.utf8), now: now)
        drain()
    }

    func close(at relay: HTTPRelay) async {
        endpoint.close(now: now)
        drain()
        await relay.close(resource)
    }

    /// Handles arrived datagrams and due timers.
    func poll() {
        withUnsafeTemporaryAllocation(of: millrace_datagram.self, capacity: Int(Self.slots)) { datagrams in
            while true {
                var truncated: UInt32 = 0
                let count = Int(millrace_receive(receiver, descriptor, datagrams.baseAddress, &truncated))
                for datagram in datagrams[..<max(0, count)] {
                    guard let bytes = datagram.data, let from = SocketAddress(datagram.from) else { continue }
                    endpoint.receive(
                        UnsafeRawBufferPointer(start: bytes, count: Int(datagram.length)), from: PeerAddress(from),
                        now: now)
                }
                if count < Int(Self.slots) { break }
            }
        }
        if endpoint.deadline <= now { endpoint.handleTimeout(now: now) }
        drain()
    }

    /// Sends packets of the current frame together.
    func send(_ packets: Range<Int>, isKeyFrame: Bool) {
        if packets.lowerBound == 0 {
            captured = now
            wantsKeyFrame = wantsKeyFrame || isKeyFrame
        }
        for index in packets {
            let isLast = index == order.burst - 1
            let payload = payload(index, isLast: isLast)
            let isSent = payload.withUnsafeBytes {
                endpoint.send(
                    $0, track: 0, time: captured, marker: order.isVideo && isLast,
                    level: order.isVideo ? nil : AudioLevel(level: 20, isVoice: true), now: now)
            }
            if isSent { sent += 1 }
        }
        if packets.upperBound == order.burst {
            pictureID = (pictureID &+ 1) & 0x7fff
            wantsKeyFrame = false
        }
        drain()
    }

    private func payload(_ index: Int, isLast: Bool) -> [UInt8] {
        random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        let length = order.payload - order.variation + Int(random >> 33) % (2 * order.variation + 1)
        var bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ index) }
        guard order.isVideo else {
            // TOC of a mono packet of 20 ms (RFC 6716 section 3.1): CELT, full band.
            bytes[0] = 0xf8
            return bytes
        }
        // VP8 payload descriptor with a PictureID of 15 bits (RFC 7741 section 4.2), then the frame tag (RFC 6386 section 9.1).
        var head: [UInt8] = [index == 0 ? 0x90 : 0x80, 0x80, 0x80 | UInt8(pictureID >> 8), UInt8(pictureID & 0xff)]
        if index == 0 {
            head += wantsKeyFrame ? [0x10, 0, 0, 0x9d, 0x01, 0x2a, 0x80, 0x02, 0x68, 0x01] : [0x11, 0, 0]
        }
        bytes.replaceSubrange(..<head.count, with: head)
        return bytes
    }

    private var now: MediaTime { MediaTime(rawValue: millrace_monotonic_ns()) }

    /// Sends all pending datagrams in one system call.
    private func drain() {
        var datagrams: [(bytes: [UInt8], to: millrace_address)] = []
        while let output = endpoint.nextOutput() {
            switch output {
            case .transmit(let bytes, let to):
                if !to.isTCP { datagrams.append((bytes, millrace_address(to.address))) }
            case .connect(_, let connection): endpoint.disconnected(connection: connection, now: now)
            case .keyFrameWanted:
                keyFrameRequests += 1
                wantsKeyFrame = true
            case .ended: isEnded = true
            case .disconnect, .noPath, .connected: break
            }
        }
        guard !datagrams.isEmpty else { return }
        let addresses = datagrams.map(\.to)
        let ends = datagrams.reduce(into: [0]) { $0.append(($0.last ?? 0) + $1.bytes.count) }
        let joined = datagrams.flatMap(\.bytes)
        joined.withUnsafeBufferPointer { bytes in
            addresses.withUnsafeBufferPointer { addresses in
                let messages = datagrams.indices.map { i in
                    millrace_message(
                        data: bytes.baseAddress.map { $0 + ends[i] }, to: addresses.baseAddress.map { $0 + i },
                        length: UInt32(datagrams[i].bytes.count), segment: 0, local: 0, socket: 0, mark: 0, error: 0)
                }
                var error: Int32 = 0
                var calls: UInt64 = 0
                refused += Int(
                    max(0, millrace_send(sender, descriptor, messages, Int32(messages.count), &error, &calls)))
            }
        }
    }
}

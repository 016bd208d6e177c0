import Codecs
import Foundation
import MediaBase
import MediaEngine
import MillraceTestKit
import RTP
import SRTP
import Testing

/// A publisher that sends arbitrary authentic packets over UDP through a plain transport.
final class HostilePublisher {
    static let width = 160
    static let height = 120

    let transport: PlainTransport
    private let context: SRTPContext
    private let descriptor: Int32
    private let encoder: VP8Encoder
    private let voice: OpusEncoder
    private let source = MovingImage(width: HostilePublisher.width, height: HostilePublisher.height)
    private var packetizer = VP8Packetizer(maximumPayloadLength: 1_000)
    private var sequences: [MediaKind: UInt16] = [.audio: 100, .video: 100]
    /// RTP time of the next frame of each kind, which a test may change.
    var ticks: [MediaKind: UInt32] = [.audio: 5_000, .video: 5_000]
    private var frames = 0

    var path: String { "/v1/sessions/\(transport.session)/streams/\(transport.stream)" }

    init(_ engine: MediaEngine, codec: VideoCodec = .vp8) async throws {
        var request = PlainTransportRequest(direction: .publish, session: "hostile")
        request.stream = "cam"
        request.rtcpMux = true
        request.audio = PlainTrackRequest(ssrc: 7_001)
        request.video = PlainTrackRequest(ssrc: 7_002, codec: codec)
        transport = try await engine.openPlain(request)
        context = try SRTPContext(key: transport.clientKey, direction: .outbound)
        encoder = try VP8Encoder(.init(width: Self.width, height: Self.height, bitrate: .kilobits(400)))
        voice = try OpusEncoder(channels: 2, bitrate: .kilobits(48))
        descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        try #require(descriptor >= 0)
    }

    deinit { close(descriptor) }

    /// Sends the next frame of a moving test image.
    func sendFrame(isKey: Bool = false, after step: UInt32 = 3_000) throws {
        ticks[.video, default: 0] &+= step
        frames += 1
        let image = source.frame(frames)
        if isKey { encoder.requestKeyFrame() }
        guard let frame = try encoder.encode(image, timestamp: Int64(frames) * 3_000) else { return }
        let payloads = packetizer.payloads(of: frame.bytes)
        for (index, payload) in payloads.enumerated() {
            try send(.video, payload, marker: index == payloads.count - 1)
        }
    }

    /// Sends the frames of a capture in `Tests/Vectors/captures`.
    func send(_ capture: String) throws {
        for packet in try CapturedPacket.all(of: capture) {
            try send(.video, packet.payload, marker: packet.marker)
            if packet.marker { ticks[.video, default: 0] &+= 3_000 }
        }
    }

    /// Sends 20 ms of silence.
    func sendAudio(after step: UInt32 = 960) throws {
        ticks[.audio, default: 0] &+= step
        try send(.audio, try voice.encode(PCMBlock(channels: 2, samples: Array(repeating: 0, count: 1_920))))
    }

    /// Sends any payload as the next packet of a track.
    func send(_ kind: MediaKind, _ payload: [UInt8], marker: Bool = false) throws {
        let track = try #require(kind == .audio ? transport.audio : transport.video)
        let sequence = sequences[kind, default: 0]
        sequences[kind] = sequence &+ 1
        let header = RTPHeader(
            payloadType: PayloadType(track.payloadType), sequenceNumber: SequenceNumber(sequence),
            timestamp: RTPTimestamp(ticks[kind, default: 0]), ssrc: SSRC(track.ssrc), marker: marker,
            payloadLength: payload.count)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1_500, alignment: 8)
        defer { buffer.deallocate() }
        let start = header.write(into: buffer)
        buffer[start..<start + payload.count].copyBytes(from: payload)
        var length = start + payload.count
        try context.protect(try #require(buffer.baseAddress), length: &length, capacity: buffer.count)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = track.port.bigEndian
        address.sin_addr.s_addr = inet_addr(transport.address)
        let sent = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(descriptor, buffer.baseAddress, length, 0, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        #expect(sent == length)
    }
}

import MediaBase
import MediaEngine
import MillraceTestKit
import RTP
import SRTP
import Testing

/// A publishing client over loopback, with libsrtp2 and its own sockets.
final class TestPublisher: @unchecked Sendable {
    let transport: PlainTransport
    let rtp: Endpoint
    let rtcp: Endpoint
    private let context: SRTPContext
    private let relay: SRTPContext
    var audio: SyntheticSource
    var video: SyntheticSource

    /// - Parameter id: distinguishes its packets and SSRCs from those of other publishers; below 1,000.
    init(
        _ engine: MediaEngine, session: String = "demo", stream: String = "cam", id: UInt32 = 1,
        suite: SRTPSuite = .aesCM128HMACSHA1_80, mux: Bool = false, kinds: Set<MediaKind> = [.audio, .video],
        rtx: PlainRTXRequest? = nil
    ) async throws {
        audio = SyntheticSource(id: id * 2, kind: .audio, firstSequence: UInt16(65_400 + id % 100))
        video = SyntheticSource(id: id * 2 + 1, kind: .video, firstSequence: UInt16(65_300 + id % 100))
        var request = PlainTransportRequest(direction: .publish, session: session)
        request.stream = stream
        request.suite = suite
        request.rtcpMux = mux
        if kinds.contains(.audio) { request.audio = PlainTrackRequest(ssrc: audio.ssrc.rawValue) }
        if kinds.contains(.video) { request.video = PlainTrackRequest(ssrc: video.ssrc.rawValue, rtx: rtx) }
        transport = try await engine.openPlain(request)
        if mux {
            rtp = try Endpoint()
            rtcp = rtp
        } else {
            (rtp, rtcp) = try Endpoint.pair()
        }
        context = try SRTPContext(key: transport.clientKey, direction: .outbound)
        relay = try SRTPContext(key: transport.relayKey, direction: .inbound)
    }

    var port: UInt16 { (transport.audio ?? transport.video)!.port }
    var rtcpPort: UInt16 { (transport.audio ?? transport.video)!.rtcpPort }

    func protected(_ packet: SourcePacket) throws -> [UInt8] {
        var bytes = SyntheticSource.bytes(of: packet)
        var length = bytes.count
        bytes += [UInt8](repeating: 0, count: 160)
        try bytes.withUnsafeMutableBytes { try context.protect($0.baseAddress!, length: &length, capacity: $0.count) }
        return Array(bytes[0..<length])
    }

    func send(_ packets: [SourcePacket]) throws {
        for packet in packets { rtp.send(try protected(packet), to: port) }
    }

    func protectedRTCP(_ write: (inout [UInt8]) -> Void) throws -> [UInt8] {
        var bytes: [UInt8] = []
        write(&bytes)
        var length = bytes.count
        bytes += [UInt8](repeating: 0, count: 160)
        try bytes.withUnsafeMutableBytes {
            try context.protectRTCP($0.baseAddress!, length: &length, capacity: $0.count)
        }
        return Array(bytes[0..<length])
    }

    func report(_ source: SyntheticSource, ntp: NTPTime, timestamp: RTPTimestamp) throws {
        let bytes = try protectedRTCP {
            SenderReport(sender: source.ssrc, ntpTime: ntp, rtpTimestamp: timestamp, packetCount: 1, octetCount: 1)
                .write(into: &$0)
        }
        rtcp.send(bytes, to: rtcpPort)
    }

    /// Returns the next RTCP compound from the relay, decrypted, or nil at the timeout.
    func nextRTCP(within timeout: MediaTime) throws -> [UInt8]? {
        let deadline = monotonicNow() + timeout
        while let datagram = rtcp.receive(within: deadline - monotonicNow()) {
            guard datagram.count >= 2, DatagramKind.isRTCP(secondByte: datagram[1]) else { continue }
            return try decryptRTCP(datagram, relay)
        }
        return nil
    }

    /// Waits for an RTCP packet of the relay for which `pick` returns a value.
    func awaitRTCP<T>(within timeout: MediaTime = .seconds(10), _ pick: (RTCPPacket) throws -> T?) throws -> T? {
        let deadline = monotonicNow() + timeout
        while let compound = try nextRTCP(within: deadline - monotonicNow()) {
            if let picked = try pickRTCP(compound, pick) { return picked }
        }
        return nil
    }
}

func decryptRTCP(_ datagram: [UInt8], _ context: SRTPContext) throws -> [UInt8] {
    var bytes = datagram
    var length = bytes.count
    try bytes.withUnsafeMutableBytes { try context.unprotectRTCP($0.baseAddress!, length: &length) }
    return Array(bytes[0..<length])
}

func pickRTCP<T>(_ compound: [UInt8], _ pick: (RTCPPacket) throws -> T?) throws -> T? {
    try compound.withUnsafeBytes { raw in
        for packet in try RTCPCompound(parsing: raw) {
            if let picked = try pick(packet) { return picked }
        }
        return nil
    }
}

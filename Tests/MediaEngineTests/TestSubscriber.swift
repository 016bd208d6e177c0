import MediaBase
import MediaEngine
import MillraceTestKit
import RTP
import SRTP
import Testing

/// A subscribing client over loopback, with one port for each kind.
final class TestSubscriber: @unchecked Sendable {
    let transport: PlainTransport
    let streams: ReceivedStreams
    private let endpoints: [(rtp: Endpoint, rtcp: Endpoint)]
    private let context: SRTPContext
    private let relay: SRTPContext
    /// Decrypted RTCP compounds that arrived on a shared port while the test waited for RTP.
    private var compounds: [[UInt8]] = []

    init(
        _ engine: MediaEngine, session: String = "demo", stream: String? = "cam",
        suite: SRTPSuite = .aesCM128HMACSHA1_80,
        mux: Bool = false, kinds: [MediaKind] = [.audio, .video], payloadTypes: [MediaKind: UInt8] = [:],
        onOnePort: Bool = false, rtx: PlainRTXRequest? = nil, at existing: [(rtp: Endpoint, rtcp: Endpoint)]? = nil
    ) async throws {
        endpoints =
            try existing
            ?? (onOnePort ? [MediaKind.audio] : kinds).map { _ in
                guard mux else { return try Endpoint.pair() }
                let both = try Endpoint()
                return (both, both)
            }
        var request = PlainTransportRequest(direction: .subscribe, session: session)
        request.stream = stream
        request.suite = suite
        request.rtcpMux = mux
        request.address = "127.0.0.1"
        for (i, kind) in kinds.enumerated() {
            let track = PlainTrackRequest(port: endpoints[onOnePort ? 0 : i].rtp.port, payloadType: payloadTypes[kind])
            if kind == .audio { request.audio = track } else { request.video = track }
        }
        request.video?.rtx = rtx
        transport = try await engine.openPlain(request)
        streams = try ReceivedStreams(key: transport.relayKey, audioPayloadType: payloadTypes[.audio] ?? 111)
        if let video = transport.video, let rtx = video.rtx { streams.rtx[rtx.ssrc] = video.ssrc }
        context = try SRTPContext(key: transport.clientKey, direction: .outbound)
        relay = try SRTPContext(key: transport.relayKey, direction: .inbound)
    }

    var endpoint: (rtp: Endpoint, rtcp: Endpoint) { endpoints[0] }

    /// Receives packets until `isDone` returns true or the timeout passes.
    @discardableResult
    func collect(within timeout: MediaTime = .seconds(10), until isDone: () -> Bool) throws -> Bool {
        let deadline = monotonicNow() + timeout
        while !isDone() {
            guard try takeOne(until: deadline) else { return isDone() }
        }
        return true
    }

    /// Receives packets until `count` different ones of `source` have arrived.
    @discardableResult
    func collect(_ count: Int, from source: SyntheticSource, within timeout: MediaTime = .seconds(10)) throws
        -> [ViewedPacket]
    {
        try collect(within: timeout) { streams.packets(from: source.id).count >= count }
        return streams.packets(from: source.id)
    }

    /// Receives the packets that have arrived by now.
    func drain(for timeout: MediaTime = .milliseconds(50)) throws { try collect(within: timeout) { false } }

    private func takeOne(until deadline: MediaTime) throws -> Bool {
        while true {
            for (rtp, _) in endpoints {
                guard let datagram = rtp.receive(within: .zero) else { continue }
                if datagram.count >= 2, DatagramKind.isRTCP(secondByte: datagram[1]) {
                    compounds.append(try decryptRTCP(datagram, relay))
                } else {
                    try streams.receive(datagram)
                }
                return true
            }
            let left = deadline - monotonicNow()
            guard left > .zero else { return false }
            wait(on: endpoints.map(\.rtp), at: left)
        }
    }

    // MARK: RTCP

    func sendRTCP(_ write: (inout [UInt8]) -> Void) throws {
        endpoints[0].rtcp.send(try protectedRTCP(write), to: relayPort)
    }

    /// Sends a receiver report. A subscriber that sends no RTCP gets its start again after some seconds.
    /// - Parameter publisher: one without rtcp-mux, which knows the relay's ports.
    func reporting(beside publisher: TestPublisher) throws -> Self {
        relayPort = publisher.rtcpPort - 1
        try sendRTCP { ReceiverReport(sender: SSRC(7)).write(into: &$0) }
        return self
    }

    /// Port on which the relay receives RTCP.
    var relayPort: UInt16 = 0

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

    func ssrc(_ kind: MediaKind) -> SSRC { SSRC((kind == .audio ? transport.audio : transport.video)!.ssrc) }

    func awaitRTCP<T>(within timeout: MediaTime = .seconds(10), _ pick: (RTCPPacket) throws -> T?) throws -> T? {
        let deadline = monotonicNow() + timeout
        while true {
            for compound in compounds { if let picked = try pickRTCP(compound, pick) { return picked } }
            compounds = []
            if endpoints[0].rtp !== endpoints[0].rtcp {
                for (_, rtcp) in endpoints {
                    if let datagram = rtcp.receive(within: .milliseconds(5)) {
                        compounds.append(try decryptRTCP(datagram, relay))
                    }
                }
            } else {
                _ = try takeOne(until: monotonicNow() + .milliseconds(5))
            }
            guard monotonicNow() < deadline || !compounds.isEmpty else { return nil }
        }
    }
}

import CLinuxNet
import DTLS
import MediaBase
import SDP
import Testing
import Transport

@Suite("Memory of transports that are half open, and of connected ones") struct HalfOpenMemoryTests {
    /// Progress of a peer's connection.
    enum Stage: CaseIterable {
        case announced
        case checked
        case manyChecks
        case helloReceived
        case connected

        /// Bytes that a transport may use; the relay may have thousands of them.
        var limit: Int {
            switch self {
            case .announced: 1_280
            case .checked: 4 * 1_024
            case .manyChecks: 8 * 1_024
            case .helloReceived: 64 * 1_024
            case .connected: 10 * 1_024
            }
        }

        /// Number of transports to measure: enough that allocations of other code do not matter.
        var count: Int {
            switch self {
            case .announced, .checked: 2_000
            case .manyChecks, .helloReceived, .connected: 200
            }
        }
    }

    @Test("Bounded at each stage") func boundedAtEachStage() throws {
        let hello = try WebRTCTransportTests.clientHello()
        for stage in Stage.allCases {
            // The first one is discarded, so that allocations made once per process are not counted.
            _ = try Self.transport(stage, hello)
            let count = stage.count
            let before = Int(millrace_heap_bytes())
            let kept = try (0..<count).map { _ in try Self.transport(stage, hello) }
            // `tools/test` runs this test alone, because other tests would allocate memory at the same time.
            let each = (Int(millrace_heap_bytes()) - before) / count
            withExtendedLifetime(kept) {}
            #expect(each < stage.limit, "\(stage)")
            print("transport, \(stage): \(each) bytes")
        }
    }

    private static func transport(_ stage: Stage, _ hello: [UInt8]) throws -> WebRTCTransport {
        var (transport, checks) = try WebRTCTransportTests.transport()
        if stage == .announced { return transport }
        // Fifteen seconds of a browser's checks, from as many addresses as are remembered.
        for number in 0..<(stage == .checked || stage == .connected ? 1 : 300) {
            transport.stun(checks.make(nominates: number == 0), .peer(number % ICELiteAgent.addressLimit), .zero)
            _ = transport.take()
        }
        if stage == .helloReceived {
            transport.dtls(hello, .peer(0), .zero)
            _ = transport.take()
        }
        if stage == .connected { try connect(transport) }
        return transport
    }

    /// Completes the handshake with a client, which is freed afterwards.
    private static func connect(_ transport: WebRTCTransport) throws {
        let client = try DTLSConnection(
            role: .client, identity: VirtualCall.clientIdentity,
            peerFingerprints: [VirtualCall.relayIdentity.fingerprint])
        client.start(now: .zero)
        for _ in 0..<10 where !transport.isConnected {
            while let datagram = client.nextDatagram() { transport.dtls(datagram, .peer(0), .zero) }
            for case .transmit(let datagram, _) in transport.take() {
                datagram.withUnsafeBytes { client.receive($0, now: .zero) }
            }
        }
        try #require(transport.isConnected)
    }
}

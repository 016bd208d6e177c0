import Foundation
import MediaBase
import MediaEngine
import RTP
import SDP
import SRTP

/// Parent's handle of the process of the subscribers' sockets, which opens WebRTC connections to them.
final class Sinks {
    /// Kind of subscriber: its transport, how far it connects, and the feedback that it sends.
    enum Kind: String, CaseIterable {
        /// Plain transports, whose keys are exchanged over HTTP.
        case plain
        /// WebRTC with everything that a browser negotiates: header extensions, RTX, transport-wide sequence numbers and feedback.
        case webRTC = "webrtc"
        /// The same without any feedback or report: only forwarded packets.
        case silent
        /// No bandwidth feedback negotiated: no transport-wide sequence numbers, no estimate.
        case unmeasured
        /// Stopped in the middle of the DTLS handshake.
        case halfOpen = "half-open"
    }

    private let process: Peer
    private let base: Int
    private let fingerprint: CertificateFingerprint

    init(count: Int, base: Int) throws {
        self.base = base
        process = try Peer("sinks", sinks: count, base: base)
        let first = try Self.decode(process.line())
        guard let fingerprint = CertificateFingerprint(first.fingerprint) else { throw BenchError("no fingerprint") }
        self.fingerprint = fingerprint
    }

    func stop() { process.stop() }

    func report() throws -> SinkReport {
        try process.begin(SinkOrder())
        return try Self.decode(process.line())
    }

    /// Opens subscriptions to a stream of the engine and connects the sockets to them.
    func connect(
        _ indices: Range<Int>, _ kind: Kind, to stream: String, session: String, kinds: [MediaKind], suite: SRTPSuite,
        engine: MediaEngine, consentSeconds: Double = 5
    ) async throws {
        var random = SystemRandomNumberGenerator()
        let sendsFeedback = kind != .unmeasured
        var order = SinkOrder()
        for index in indices {
            let own = ICECredentials.random(using: &random)
            let tracks = kinds.enumerated().map { SinkClient.offered($1, mid: "\($0)", sendsFeedback: sendsFeedback) }
            let answer = try await engine.openWebRTC(
                WebRTCRequest(
                    direction: .subscribe, session: session, stream: stream,
                    peer: PeerDescription(credentials: own, fingerprints: [fingerprint], setup: .actpass),
                    tracks: tracks))
            guard let port = answer.candidates.first?.port else { throw BenchError("an answer without candidates") }
            order.clients.append(
                SinkClientOrder(
                    index: index, fragment: own.ufrag, password: own.password,
                    relayFragment: answer.credentials.ufrag, relayPassword: answer.credentials.password,
                    fingerprint: answer.fingerprint.description, paths: [SinkPath(port: port)], suite: suite.sdesName,
                    sendsFeedback: kind == .webRTC, consentSeconds: consentSeconds, stopsHalfway: kind == .halfOpen,
                    extensions: tracks[0].extensions))
            if order.clients.count == 64 || index == indices.upperBound - 1 {
                try process.begin(order)
                let report = try Self.decode(process.line())
                guard report.ended == 0 else { throw BenchError("\(report.ended) subscribers did not connect") }
                order.clients = []
            }
        }
    }

    private static func decode(_ line: String) throws -> SinkReport {
        try JSONDecoder().decode(SinkReport.self, from: Data(line.utf8))
    }
}

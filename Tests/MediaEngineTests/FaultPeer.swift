#if DEBUG
    import DTLS
    import Forwarding
    import MediaBase
    import MillraceTestKit
    import RTP
    import SDP
    import Transport

    @testable import MediaEngine

    /// A WebRTC subscriber to a `FaultBench`'s audio, whose source address changes when `moves` is set.
    final class FaultPeer {
        let home = SocketAddress("198.51.100.7", port: 30_000)!
        let away = SocketAddress("198.51.100.7", port: 30_001)!
        var moves = false
        private let bench: FaultBench
        private let client: WebRTCClientTransport
        private let relay = PeerAddress(SocketAddress("127.0.0.1", port: 7_882)!)

        init(_ bench: FaultBench) throws {
            self.bench = bench
            var random = SeededGenerator(seed: 5)
            let credentials = ICECredentials.random(using: &random)
            let identity = try DTLSIdentity.generate(.ecdsaP256)
            let answer = try bench.worker.openWebRTC(
                WebRTCRequest(
                    direction: .subscribe, session: "demo",
                    peer: PeerDescription(
                        credentials: credentials, fingerprints: [identity.fingerprint], setup: .actpass),
                    tracks: [
                        TrackDescription(
                            mid: MID("0")!, codecs: [CodecDescription(video: nil, payloadType: PayloadType(111))])
                    ]), bench.worker.flush())
            client = try WebRTCClientTransport(
                .init(
                    credentials: credentials,
                    peer: PeerDescription(
                        credentials: answer.credentials, isLite: true, fingerprints: [answer.fingerprint],
                        setup: answer.setup), identity: identity), random: random, now: bench.io.now)
            client.add(
                ICECandidate(
                    foundation: "1", transport: .udp, priority: 1, host: "127.0.0.1", port: relay.address.port),
                now: bench.io.now)
        }

        var isConnected: Bool { client.isConnected }

        /// - Returns: whether `isDone` returned true by then.
        @discardableResult
        func run(for time: MediaTime, until isDone: () -> Bool) throws -> Bool {
            let end = bench.io.now + time
            while !isDone(), bench.io.now < end {
                if client.deadline <= bench.io.now { client.handleTimeout(now: bench.io.now) }
                try exchange()
                try bench.run(for: .milliseconds(5))
            }
            return isDone()
        }

        /// Returns the number of media packets sent to this peer since the last call, by destination address.
        func media() throws -> [SocketAddress: Int] {
            var found: [SocketAddress: Int] = [:]
            for datagram in bench.wire.sent where kind(datagram.bytes) == .rtp {
                found[datagram.to.address, default: 0] += 1
            }
            bench.wire.sent = []
            return found
        }

        private func kind(_ bytes: [UInt8]) -> DatagramKind { bytes.withUnsafeBytes { DatagramKind($0) } }

        private func exchange() throws {
            while let output = client.nextOutput() {
                guard case .transmit(let bytes, _) = output else { continue }
                bench.receive(bytes, bytes.count, from: PeerAddress(moves ? away : home), on: .webRTC)
            }
            let sent = bench.wire.sent
            bench.wire.sent = sent.filter { kind($0.bytes) == .rtp }
            // Behind a NAT that has changed the mapping, packets to the old address do not arrive.
            for datagram in sent where datagram.to.address == (moves ? away : home) {
                datagram.bytes.withUnsafeBytes {
                    switch kind(datagram.bytes) {
                    case .stun: client.receiveSTUN($0, from: relay, now: bench.io.now)
                    case .dtls: client.receiveDTLS($0, from: relay, now: bench.io.now)
                    default: break
                    }
                }
            }
        }
    }
#endif

import DTLS
import MediaBase
import MediaEngine
import SDP
import STUN
import Testing
import Transport
import WebRTCClient

extension EngineTests {
    @Suite("TCP connections of a WebRTC peer")
    struct TCPPeers {
        /// Returns a connectivity check of a peer, in a frame.
        private func check(_ number: UInt64, local: ICECredentials, remote: ICECredentials) -> [UInt8] {
            let message = STUNMessage(
                .request, .binding, transaction: STUNTransactionID(high: 7, low: number),
                attributes: [.username("\(local.ufrag):\(remote.ufrag)"), .priority(1), .iceControlling(7)])
            let key = Array(local.password.utf8)
            return StreamClient.frame(
                message.bytes(integrity: { MessageAuthentication.hmacSHA1(key: key, $0) }, fingerprint: true))
        }

        @Test("The ninth connection of a peer closes its oldest one that is not in use, and its end closes all others")
        func ninth() async throws {
            let engine = try EngineTests.engine {
                $0.webRTC.port = 0
                $0.advertisedAddress = "127.0.0.1"
            }
            defer { engine.stop() }
            var random = SystemRandomNumberGenerator()
            let endpoint = WebRTCEndpoint(
                .publisher(identity: try DTLSIdentity.generate(), rids: [], video: false, using: &random),
                random: SystemRandomNumberGenerator())
            let offer = try Offer(parsing: Array(endpoint.offer.text.utf8))
            let answer = try await engine.openWebRTC(
                WebRTCRequest(
                    direction: .publish, session: "room", stream: "stream", peer: offer.peer,
                    tracks: try offer.receivable()))
            let port = try #require(answer.candidates.first { $0.transport == .tcp }?.port)
            let server = try #require(SocketAddress("127.0.0.1", port: port))
            var clients: [StreamClient] = []
            for number in 1...9 as ClosedRange<UInt64> {
                let client = try StreamClient(to: server)
                client.send(check(number, local: answer.credentials, remote: offer.peer.credentials))
                let reply = try #require(client.read())
                #expect(!reply.isEmpty, "check \(number) is answered")
                clients.append(client)
            }
            #expect(clients[0].seesClose())
            for client in clients.dropFirst() { #expect(!client.seesClose(milliseconds: 20)) }
            try await engine.closeWebRTC(answer.id, session: "room")
            for client in clients.dropFirst() { #expect(client.seesClose()) }
        }
    }
}

import ControlServer
import Foundation
import MillraceTokens
import RelayServer
import Signaling
import Testing

@Suite("E2E-2 publish requests without encryption", .serialized, .timeLimit(.minutes(2)))
struct RequiredEncryptionTests {
    /// Ways to require encryption of every stream of a session.
    enum Requirement: CaseIterable, Sendable {
        case join
        case claim
        case reservation
    }

    private static let secret = "shop-secret-shop-secret-shop-secret"

    private func withShop(_ body: (Relay, RawHTTPClient) async throws -> Void) async throws {
        try await withRelay {
            $0.apps = "shop:\(Self.secret)"
            $0.appDefault = "shop"
        } _: { relay, http in
            try await body(relay, http)
        }
    }

    private func token(requiresEncryption: Bool = false) throws -> String {
        var grant = TokenGrant(session: "lobby", requiresEncryption: requiresEncryption)
        try grant.set(role: "publisher")
        return try TokenMinter(app: "shop", secret: Self.secret).mint(grant, now: Int64(Date().timeIntervalSince1970))
    }

    private func join(
        _ relay: Relay, requiresEncryption: Bool? = nil, claims: Bool = false
    ) async throws -> (client: SocketClient, answer: JoinAnswer) {
        let client = try await SocketClient(port: relay.httpPort)
        let request = JoinRequest(
            session: "lobby", token: try token(requiresEncryption: claims), name: "Ada",
            requiresEncryption: requiresEncryption)
        return (client, try await client.request(request).get())
    }

    /// Publishes by WHIP, with the name of the stream in the query or in the path.
    private func publish(_ http: RawHTTPClient, _ path: String, token: String) async throws -> RawHTTPResponse {
        try await http.request(
            "POST", "/whip/lobby\(path)", body: RawHTTPClient.offer("chromium-publish"),
            fields: RawHTTPClient.sdp.merging(["Authorization": "Bearer \(token)"]) { $1 })
    }

    private func publishPlain(_ http: RawHTTPClient) async throws -> RawHTTPResponse {
        try await http.request(
            "POST", "/v1/sessions/lobby/plain",
            body: #"{"direction":"publish","stream":"plain","audio":{},"video":{}}"#)
    }

    /// Publishes over the control connection. On success the stream has media when this returns.
    private func publish(_ client: SocketClient, isEncrypted: Bool?) async throws -> Result<
        PublishRequest.Answer, SignalingError
    > {
        let peer = try await MediaPeer(.publish)
        let indices = peer.add()
        let (sdp, mids) = peer.offer()
        let stream = PublishRequest.Stream(
            name: "camera", audioMid: indices.audio.flatMap { mids[$0] }, videoMid: indices.video.flatMap { mids[$0] },
            isEncrypted: isEncrypted)
        let result = try await client.request(PublishRequest(sdp: sdp, streams: [stream]))
        if case .success(let answer) = result {
            try peer.accept(answer.sdp)
            _ = try await client.next(.streamCreated)
        }
        await peer.close()
        return result
    }

    /// Returns the sessions that the operator sees.
    private func sessions(_ http: RawHTTPClient) async throws -> [[String: Any]] {
        try #require(try await http.request("GET", "/v1/admin/sessions").json["sessions"] as? [[String: Any]])
    }

    /// Checks that no publisher has entered, and that neither the engine nor the session has a stream.
    private func expectNoStream(_ http: RawHTTPClient, participants: [Int]) async throws {
        let streams = try await http.request("GET", "/v1/sessions/lobby/streams")
        #expect(try streams.status == 404 || (streams.json["streams"] as? [Any])?.isEmpty == true, "\(streams.text)")
        // A publisher that is refused leaves at once, but after its answer.
        try await eventually("refused publishers are no participants") {
            try await sessions(http).map { $0["participants"] as? Int } == participants
        }
        #expect(try await sessions(http).allSatisfy { $0["streams"] as? Int == 0 })
    }

    @Test(
        "WHIP, plain SRTP and WebSocket are refused in a session that requires encryption, and no stream exists afterwards",
        arguments: Requirement.allCases)
    func refused(_ requirement: Requirement) async throws {
        try await withShop { relay, http in
            if requirement == .reservation {
                let body = #"{"name":"lobby","requiresEncryption":true}"#
                #expect(try await http.request("POST", "/v1/admin/sessions", body: body).status == 201)
            }
            let (ada, answer) = try await join(
                relay, requiresEncryption: requirement == .join ? true : nil, claims: requirement == .claim)
            #expect(answer.requiresEncryption)

            for path in ["?stream=cam", "/cam", ""] {
                let whip = try await publish(http, path, token: token())
                #expect(whip.status == 403 && whip.problemCode == "encryptionRequired", "\(path) \(whip.text)")
                #expect(whip.fields["location"] == nil)
            }
            let plain = try await publishPlain(http)
            #expect(plain.status == 403 && plain.problemCode == "encryptionRequired", "\(plain.text)")
            for isEncrypted in [nil, false] as [Bool?] {
                let refusal = try await publish(ada, isEncrypted: isEncrypted)
                #expect(refusal.failure?.code == .encryptionRequired && refusal.failure?.field == "streams")
            }
            try await expectNoStream(http, participants: [1])
            #expect(!ada.events.contains { $0.event.name == .streamCreated })

            // The same request with encryption is accepted.
            #expect(try await publish(ada, isEncrypted: true).get().streams.count == 1)
            await ada.cut()
        }
    }

    @Test("Without the requirement each of these requests publishes a stream")
    func accepted() async throws {
        try await withShop { relay, http in
            let (ada, answer) = try await join(relay)
            #expect(!answer.requiresEncryption)
            #expect(try await publish(http, "?stream=one", token: token()).status == 201)
            #expect(try await publish(http, "/two", token: token()).status == 201)
            #expect(try await publish(http, "", token: token()).status == 201)
            #expect(try await publishPlain(http).status == 201)
            #expect(try await publish(ada, isEncrypted: nil).get().streams.count == 1)
            #expect(try await sessions(http).map { $0["participants"] as? Int } == [5])
            let list = try await http.request("GET", "/v1/sessions/lobby/streams").json
            let streams = try #require(list["streams"] as? [[String: Any]])
            #expect(streams.contains { $0["name"] as? String == "plain" })
            await ada.cut()
        }
    }

    @Test("A WHIP publisher with the claim can neither begin a session nor enter one without the requirement")
    func claimOfPublisher() async throws {
        try await withShop { relay, http in
            let strict = try token(requiresEncryption: true)
            let first = try await publish(http, "?stream=cam", token: strict)
            #expect(first.status == 403 && first.problemCode == "encryptionRequired", "\(first.text)")
            try await expectNoStream(http, participants: [])

            let (ada, answer) = try await join(relay)
            #expect(!answer.requiresEncryption)
            let second = try await publish(http, "?stream=cam", token: strict)
            #expect(second.status == 403 && second.problemCode == "encryptionRequired", "\(second.text)")
            try await expectNoStream(http, participants: [1])
            await ada.cut()
        }
    }

    @Test("A publisher that is refused before the first participant does not use up the requirement of the operator")
    func reservationStays() async throws {
        try await withShop { relay, http in
            let body = #"{"name":"lobby","requiresEncryption":true}"#
            #expect(try await http.request("POST", "/v1/admin/sessions", body: body).status == 201)
            let whip = try await publish(http, "?stream=cam", token: token())
            #expect(whip.status == 403 && whip.problemCode == "encryptionRequired", "\(whip.text)")
            #expect(try await publishPlain(http).problemCode == "encryptionRequired")
            try await eventually("the refused publishers have left") {
                try await sessions(http).map { $0["participants"] as? Int } == [0]
            }
            let (ada, answer) = try await join(relay)
            #expect(answer.requiresEncryption)
            await ada.cut()
        }
    }
}

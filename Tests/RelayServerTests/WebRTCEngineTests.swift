import Foundation
import MediaEngine
import RelayServer
import SDP
import Testing

@Suite("WHIP and WHEP with the media engine", .serialized)
struct WebRTCEngineTests {
    private static let plain = #"{"direction":"publish","stream":"cam","audio":{"ssrc":1},"video":{"ssrc":2}}"#

    private func publishPlain(_ http: RawHTTPClient) async throws {
        #expect(try await http.request("POST", "/v1/sessions/demo/plain", body: Self.plain).status == 201)
    }

    private func answer(_ response: RawHTTPResponse, to offer: String) throws -> Answer {
        try Answer(parsing: response.body, to: Offer(parsing: RawHTTPClient.offer(offer).utf8).description)
    }

    @Test("offers of real clients are answered", arguments: WHIPEndpointTests.publishers)
    func publish(offer: String) async throws {
        try await withRelay({
            $0.mediaAddress = "::"
            $0.mediaAdvertised = "192.0.2.1,2001:db8::1"
        }) { _, http in
            let response = try await http.publish(stream: "cam", offer: offer)
            let answer = try answer(response, to: offer)
            #expect(answer.peer.isLite)
            #expect(answer.peer.fingerprints.count == 1)
            #expect(answer.tracks.map(\.direction) == [.recvonly, .recvonly])
            let udp = answer.candidates.filter { $0.transport == .udp }
            let tcp = answer.candidates.filter { $0.transport == .tcp }
            #expect(udp.map(\.host) == ["192.0.2.1", "2001:db8::1"])
            #expect(tcp.map(\.host) == ["192.0.2.1", "2001:db8::1"])
            // TCP has the number of the UDP port only if no other program listens on it.
            for candidates in [udp, tcp] {
                #expect(Set(candidates.map(\.port)).count == 1 && candidates[0].port > 0)
            }
            #expect(tcp.allSatisfy { $0.tcpType == .passive })
            #expect(Set(answer.candidates.map(\.foundation)).count == answer.candidates.count)
            #expect(Set(answer.candidates.map(\.priority)).count == answer.candidates.count)
            #expect((udp.map(\.priority).min() ?? 0) > (tcp.map(\.priority).max() ?? .max))

            let resource = try #require(response.fields["location"])
            let taken = try await http.request(
                "POST", "/whip/demo?stream=cam", body: RawHTTPClient.offer(offer), fields: RawHTTPClient.sdp)
            #expect(taken.status == 409 && taken.problemCode == "streamExists")
            #expect(try await http.request("DELETE", resource).status == 200)
            #expect(try await http.request("DELETE", resource).status == 404)
            _ = try await http.publish(stream: "cam", offer: offer)
        }
    }

    @Test func withoutTCPAndWithRSA() async throws {
        try await withRelay({
            $0.webRTCTCP = false
            $0.dtlsCertificate = .rsa
        }) { _, http in
            let answer = try answer(try await http.publish(), to: "chromium-publish")
            #expect(answer.candidates.map(\.transport) == [.udp])
            #expect(answer.candidates.map(\.host) == ["127.0.0.1"])
        }
    }

    @Test func anICESessionBeginsAnew() async throws {
        try await withRelay { _, http in
            let response = try await http.publish()
            let path = try #require(response.fields["location"])
            let tag = try #require(response.fields["etag"])
            let before = try answer(response, to: "chromium-publish").peer.credentials
            let trickle = try Fragment.trickle(of: "chromium-publish")
            #expect(try await http.patch(path, trickle, tag: tag).status == 204)
            let restart = try await http.patch(path, Fragment.restart, tag: "*")
            try #require(restart.status == 200, "\(restart.text)")
            let fragment = try TrickleFragment(parsing: restart.body)
            let after = try #require(fragment.credentials)
            #expect(after.ufrag != before.ufrag && after.password != before.password)
            #expect(fragment.candidates == (try answer(response, to: "chromium-publish").candidates))
            let next = try #require(restart.fields["etag"])
            #expect(next == "\"\(after.ufrag)\"")
            #expect(try await http.patch(path, trickle, tag: tag).status == 412)
            #expect(try await http.patch(path, Fragment.restart, tag: next).status == 204)
            #expect(
                try await http.patch(path, Fragment.text("New2", "newpasswordnewpassword2"), tag: next).status == 200)
        }
    }

    @Test func aSubscriberGetsAStreamHoweverItIsPublished() async throws {
        try await withRelay { _, http in
            let early = try await http.view("demo/cam")
            #expect(early.status == 404 && early.fields["retry-after"] == "1")
            try await publishPlain(http)
            for (path, offer) in [
                ("demo", "chromium-view"), ("demo/cam", "firefox-view"), ("DEMO/cam?wait=5", "aiortc-view"),
            ] {
                let response = try await http.view(path, offer: offer)
                try #require(response.status == 201, "\(response.text)")
                let answer = try answer(response, to: offer)
                #expect(answer.tracks.map(\.direction) == [.sendonly, .sendonly])
                let ssrcs = answer.tracks.flatMap(\.track.encodings).flatMap { [$0.ssrc, $0.rtxSSRC] }.compactMap { $0 }
                #expect(ssrcs.count >= 3 && Set(ssrcs).count == ssrcs.count)
                let resource = try #require(response.fields["location"])
                #expect(resource.hasPrefix("/whep/demo/cam/"))
                for body in ["{}", #"{"spatial":0,"temporal":1}"#, #"{"temporal":3}"#] {
                    #expect(try await http.request("POST", resource + "/layer", body: body).status == 204)
                }
                #expect(try await http.request("DELETE", resource).status == 200)
                #expect(try await http.request("POST", resource + "/layer", body: "{}").status == 404)
            }
            #expect(try await http.view("demo/other").status == 404)
        }
    }

    @Test func aSubscriberWaitsForAStream() async throws {
        try await withRelay { _, http in
            async let named = http.view("demo/cam?wait=30")
            async let newest = http.view("demo?wait=30")
            try await publishPlain(http)
            #expect(try await named.status == 201)
            #expect(try await newest.status == 201)
        }
    }

    @Test func whoNeverConnectsIsForgotten() async throws {
        try await withRelay({ $0.limitConnectSeconds = 1 }) { _, http in
            let path = try #require(try await http.publish(stream: "cam").fields["location"])
            let deadline = ContinuousClock.now + .seconds(20)
            while try await http.request("GET", path).status == 204, ContinuousClock.now < deadline {}
            #expect(try await http.request("GET", path).status == 404)
            #expect(try await http.patch(path, Fragment.restart, tag: "*").status == 404)
            // The stream's name is free again.
            _ = try await http.publish(stream: "cam")
        }
    }

    @Test func theOldestThatNeverConnectedMakesRoom() async throws {
        try await withRelay({ $0.limitUnestablished = 2 }) { _, http in
            var paths: [String] = []
            for _ in 0..<4 { paths.append(try #require(try await http.publish().fields["location"])) }
            for (path, status) in zip(paths, [404, 404, 204, 204]) {
                #expect(try await http.request("GET", path).status == status)
            }
        }
    }
}

import ControlServer
import Foundation
import MediaEngine
import SDP
import Testing

@Suite("WHIP and WHEP resources: trickle, ICE restart, end (RFC 9725 section 4.3)", .serialized)
struct WebRTCResourceTests {
    /// Runs `body` with a WHIP or WHEP resource and the entity tag of its ICE session.
    private func withResource(
        _ offer: String, _ body: (WebRTCDouble, RawHTTPClient, _ path: String, _ tag: String) async throws -> Void
    ) async throws {
        try await withDoubledWebRTC { double, http, _ in
            let published = try await http.publish()
            let answer = offer.hasSuffix("view") ? try await http.view(offer: offer) : published
            try await body(double, http, #require(answer.fields["location"]), #require(answer.fields["etag"]))
        }
    }

    @Test("candidates are accepted with 204", arguments: ["chromium-publish", "chromium-view"])
    func trickle(offer: String) async throws {
        try await withResource(offer) { double, http, path, tag in
            let fragment = try Fragment.trickle(of: offer)
            for condition in [tag, "\"other\", \(tag)", "*"] {
                let answer = try await http.patch(path, fragment, tag: condition)
                #expect(answer.status == 204 && answer.body.isEmpty)
                #expect(answer.fields["etag"] == nil)
                #expect(answer.fields["access-control-allow-origin"] == "*")
            }
            #expect(double.state.withLock { $0.restarts } == 0)
        }
    }

    @Test("missing and failed preconditions have their errors", arguments: ["chromium-publish", "chromium-view"])
    func conditions(offer: String) async throws {
        try await withResource(offer) { _, http, path, tag in
            let fragment = try Fragment.trickle(of: offer)
            let missing = try await http.patch(path, fragment, tag: nil)
            #expect(missing.status == 428 && missing.problemCode == "preconditionRequired")
            for wrong in [
                "\"other\"", "W/\(tag)", String(tag.dropFirst().dropLast()), "", "\"", "\(tag.lowercased())x",
            ] {
                let answer = try await http.patch(path, fragment, tag: wrong)
                #expect(answer.status == 412 && answer.problemCode == "preconditionFailed", "\(wrong)")
                #expect(answer.fields["access-control-allow-origin"] == "*")
            }
        }
    }

    @Test func bodiesThatAreNoFragments() async throws {
        try await withResource("chromium-publish") { _, http, path, tag in
            let type = try await http.request(
                "PATCH", path, body: Fragment.restart, fields: ["Content-Type": "application/sdp", "If-Match": "*"])
            #expect(type.status == 415 && type.problemCode == "unsupportedMediaType")
            #expect(type.fields["accept-patch"] == "application/trickle-ice-sdpfrag")
            for text in [
                "", "hello", "\u{0}", "a=ice-ufrag:x\r\na=ice-pwd:y\r\n", "m=audio\r\n", "a=ice-ufrag:abcd\r\n",
            ] {
                let answer = try await http.patch(path, text, tag: tag)
                #expect(answer.status == 400 && answer.problemCode == "invalidSDP", "\(text)")
            }
            let large = try await http.patch(path, String(repeating: "a=x\r\n", count: 14_000), tag: tag)
            #expect(large.status == 413)
            #expect(try large.json["limit"] as? String == "limit.sdpBytes")
        }
    }

    @Test("new credentials restart ICE", arguments: ["chromium-publish", "chromium-view"], ["*", "\"*\"", nil])
    func restart(offer: String, condition: String?) async throws {
        try await withResource(offer) { double, http, path, tag in
            let answer = try await http.patch(path, Fragment.restart, tag: condition ?? tag)
            try #require(answer.status == 200, "\(answer.text)")
            #expect(answer.fields["content-type"] == "application/trickle-ice-sdpfrag")
            let next = try #require(answer.fields["etag"])
            #expect(next != tag)
            let fragment = try TrickleFragment(parsing: answer.body)
            #expect(fragment.isLite && fragment.options == ["trickle", "ice2"])
            #expect(next == "\"\(fragment.credentials?.ufrag ?? "")\"")
            #expect(fragment.candidates.map(\.host) == ["192.0.2.9"])
            #expect(fragment.sections.map(\.mid.rawValue) == ["0"])
            #expect(fragment.sections.allSatisfy { $0.endOfCandidates })
            let snapshot = try #require(
                double.state.withLock { $0.transports.values.first { $0.snapshot.peer.ufrag == "New1" } })
            #expect(snapshot.snapshot.credentials == fragment.credentials)

            // A fragment of the old ICE session that arrives after the restart.
            #expect(try await http.patch(path, Fragment.trickle(of: offer), tag: tag).status == 412)
            // Candidates of the new session and a repeated restart change nothing.
            #expect(try await http.patch(path, Fragment.restart, tag: next).status == 204)
            #expect(try await http.patch(path, Fragment.restart, tag: "*").status == 204)
            #expect(double.state.withLock { $0.restarts } == 1)
            #expect(try await http.request("DELETE", path).status == 200)
        }
    }

    @Test func aRestartChangesBothCredentials() async throws {
        try await withResource("chromium-publish") { double, http, path, _ in
            let peer = try Offer(parsing: RawHTTPClient.offer("chromium-publish").utf8).peer.credentials
            for fragment in [
                Fragment.text(peer.ufrag, "newpasswordnewpassword1"), Fragment.text("New1", peer.password),
            ] {
                let answer = try await http.patch(path, fragment, tag: "*")
                #expect(answer.status == 422 && answer.problemCode == "unusableSDP")
            }
            #expect(double.state.withLock { $0.restarts } == 0)
        }
    }

    @Test func overlappingRestartsConflict() async throws {
        try await withResource("chromium-publish") { double, http, path, tag in
            let gate = AsyncStream<Void>.makeStream()
            let attempts = AsyncStream<Void>.makeStream()
            double.state.withLock { state in
                state.restartGate = AsyncStream {
                    attempts.continuation.yield(); for await _ in gate.stream { break }; return nil
                }
            }
            async let first = http.patch(path, Fragment.restart, tag: "*")
            for await _ in attempts.stream { break }
            let second = try await http.patch(path, Fragment.text("New2", "newpasswordnewpassword2"), tag: "*")
            #expect(second.status == 409 && second.problemCode == "restartExists")
            #expect(second.fields["retry-after"] != nil)
            // Candidates of the current session are still accepted.
            #expect(try await http.patch(path, Fragment.trickle(of: "chromium-publish"), tag: tag).status == 204)
            gate.continuation.finish()
            #expect(try await first.status == 200)
            double.state.withLock { $0.restartGate = nil }
            let third = try await http.patch(path, Fragment.text("New2", "newpasswordnewpassword2"), tag: "*")
            #expect(third.status == 200)
        }
    }

    @Test(
        "a resource is 404 after its end, by request or not",
        arguments: ["chromium-publish", "chromium-view"], [true, false])
    func gone(offer: String, byRequest: Bool) async throws {
        try await withResource(offer) { double, http, path, tag in
            if byRequest {
                // `DELETE` ignores preconditions.
                let answer = try await http.request("DELETE", path, fields: ["If-Match": "\"stale\""])
                #expect(answer.status == 200 && answer.body.isEmpty)
            } else {
                let id = try #require(path.split(separator: "/").last)
                #expect(double.drop(TransportID(rawValue: String(id))))
            }
            for answer in [
                try await http.patch(path, Fragment.restart, tag: "*"), try await http.patch(path, "", tag: tag),
                try await http.request("DELETE", path), try await http.request("GET", path),
            ] {
                #expect(answer.status == 404 && answer.problemCode == "unknownTransport")
                #expect(answer.fields["retry-after"] == nil)
                #expect(answer.fields["access-control-allow-origin"] == "*")
            }
            if offer.hasSuffix("view") {
                #expect(try await http.request("POST", path + "/layer", body: "{}").status == 404)
            }
        }
    }

    @Test func aResourceIsOneOfItsOwnDoorSessionAndStream() async throws {
        try await withDoubledWebRTC { _, http, _ in
            let whip = try #require(try await http.publish(stream: "cam").fields["location"])
            let whep = try #require(try await http.view().fields["location"])
            for path in [
                whip.replacing("/whip/", with: "/whep/"), whep.replacing("/whep/", with: "/whip/"),
                whip.replacing("demo", with: "other"), whep.replacing("cam", with: "screen"), whip + "0",
                whip + "%00", "/whip/demo/cam/%ff",
            ] {
                #expect(try await http.request("DELETE", path).status == 404, "\(path)")
                #expect(try await http.patch(path, Fragment.restart, tag: "*").status == 404, "\(path)")
            }
            #expect(try await http.request("DELETE", whip).status == 200)
            #expect(try await http.request("DELETE", whep).status == 200)
        }
    }
}

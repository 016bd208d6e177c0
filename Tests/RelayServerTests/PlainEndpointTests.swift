import Foundation
import RelayServer
import Testing

@Suite("Plain transports by HTTP")
struct PlainEndpointTests {
    @Test func publishAnswersWhereAndHowToSend() async throws {
        try await withRelay { _, http in
            let answer = try await http.request(
                "POST", "/v1/sessions/Team%20A/plain",
                body: #"""
                    {"direction":"publish","stream":"cam1","suite":"AEAD_AES_128_GCM","unknown":{"field":[1]},
                     "audio":{"ssrc":1001,"payloadType":111},"video":{"ssrc":1002,"payloadType":97}}
                    """#)
            #expect(answer.status == 201)
            let json = try answer.json
            #expect(json["session"] as? String == "team a")
            #expect(json["stream"] as? String == "cam1")
            #expect(json["direction"] as? String == "publish")
            #expect(json["suite"] as? String == "AEAD_AES_128_GCM")
            #expect(Data(base64Encoded: json["clientKey"] as? String ?? "")?.count == 28)
            #expect(Data(base64Encoded: json["relayKey"] as? String ?? "")?.count == 28)
            let audio = try #require(json["audio"] as? [String: Any])
            #expect(audio["ssrc"] as? Int == 1001)
            #expect(audio["payloadType"] as? Int == 111)
            #expect(audio["codec"] as? String == "opus")
            #expect(audio["clockRate"] as? Int == 48_000)
            #expect(audio["channels"] as? Int == 2)
            let video = try #require(json["video"] as? [String: Any])
            #expect(video["ssrc"] as? Int == 1002)
            #expect((video["port"] as? Int ?? 0) > 0)
            #expect((json["sdp"] as? String)?.hasPrefix("v=0") == true)

            let location = try #require(answer.fields["location"])
            #expect(location == "/v1/sessions/team%20a/plain/\(json["id"] as? String ?? "")")

            let streams = try await http.request("GET", "/v1/sessions/TEAM%20A/streams").json
            let list = try #require(streams["streams"] as? [[String: Any]])
            #expect(list.map { $0["name"] as? String } == ["cam1"])
            let sessions = try #require(
                try await http.request("GET", "/v1/sessions").json["sessions"] as? [[String: Any]])
            #expect(sessions.map { $0["name"] as? String } == ["team a"])

            #expect(try await http.request("DELETE", location).status == 204)
            let again = try await http.request("DELETE", location)
            #expect(again.status == 404 && again.problemCode != nil)
        }
    }

    @Test("RTX on request: the answer has its SSRC and payload type; without a request there is no RTX")
    func retransmissions() async throws {
        try await withRelay { _, http in
            func open(_ session: String, _ video: String, audio: String = "{}") async throws -> RawHTTPResponse {
                try await http.request(
                    "POST", "/v1/sessions/\(session)/plain",
                    body: #"{"direction":"publish","audio":\#(audio),"video":\#(video)}"#)
            }
            let answer = try await open("a", #"{"ssrc":7,"rtx":{"payloadType":97,"ssrc":8}}"#)
            #expect(answer.status == 201)
            let video = try #require(answer.json["video"] as? [String: Any])
            let rtx = try #require(video["rtx"] as? [String: Any])
            #expect(rtx["payloadType"] as? Int == 97 && rtx["ssrc"] as? Int == 8)
            let without = try await open("b", #"{"ssrc":7}"#)
            #expect((try without.json["video"] as? [String: Any])?["rtx"] == nil)
            let missing = try await open("c", #"{"rtx":{}}"#)
            #expect(missing.status == 422 && missing.problemCode == "invalidField")
            for wrong in [#"{"rtx":{"payloadType":96}}"#, #"{"rtx":{"payloadType":70}}"#] {
                #expect(try await open("c", wrong).problemCode == "invalidField", "\(wrong)")
            }
            let audio = try await open("c", "{}", audio: #"{"rtx":{"payloadType":97}}"#)
            #expect(audio.problemCode == "invalidField")
        }
    }

    @Test("Parameter sets of H.264 can be stated by a publisher; malformed ones, and those of others, are refused")
    func parameterSets() async throws {
        try await withRelay { _, http in
            func open(_ session: String, _ video: String, as direction: String = "publish") async throws
                -> RawHTTPResponse
            {
                try await http.request(
                    "POST", "/v1/sessions/\(session)/plain",
                    body: #"{"direction":"\#(direction)","address":"127.0.0.1","video":\#(video)}"#)
            }
            let sets = #""parameterSets":"Z0LAC9oLE7ARAAADAAEAAAMAMg8UKqA=,aM48gA==""#
            #expect(try await open("a", #"{"codec":"H264",\#(sets)}"#).status == 201)
            let refused = [
                (#"{"codec":"H264","parameterSets":"Z0LAC9oL"}"#, "publish"), (#"{"codec":"VP9",\#(sets)}"#, "publish"),
                (#"{"codec":"H264","port":5006,\#(sets)}"#, "subscribe"),
            ]
            for (video, direction) in refused {
                let answer = try await open("a", video, as: direction)
                #expect(try answer.status == 422 && answer.json["field"] as? String == "video.parameterSets")
            }
        }
    }

    @Test("a plain subscriber requests a key frame by HTTP; unknown transports and publishers are 404")
    func keyFrame() async throws {
        try await withRelay { _, http in
            let publish = try await http.request("POST", "/v1/sessions/a/plain", body: #"{"direction":"publish"}"#)
            let body = #"{"direction":"subscribe","address":"127.0.0.1","video":{"port":5006}}"#
            let subscribe = try await http.request("POST", "/v1/sessions/a/plain", body: body)
            #expect(publish.status == 201 && subscribe.status == 201)
            let location = try #require(subscribe.fields["location"])
            let answer = try await http.request("POST", location + "/keyframe")
            #expect(answer.status == 204)
            #expect(try await http.request("GET", location + "/keyframe").status == 405)
            for wrong in [
                try #require(publish.fields["location"]), "/v1/sessions/a/plain/17", "/v1/sessions/b/plain/17",
            ] {
                let refused = try await http.request("POST", wrong + "/keyframe")
                #expect(refused.status == 404 && refused.problemCode != nil, "\(wrong)")
            }
        }
    }

    @Test func subscribersNeedAStream() async throws {
        try await withRelay { _, http in
            let body = #"{"direction":"subscribe","audio":{"port":5004},"video":{"port":5006}}"#
            let early = try await http.request("POST", "/v1/sessions/a/plain", body: body)
            #expect(early.status == 404)
            #expect(early.fields["retry-after"] != nil)

            let publish = try await http.request("POST", "/v1/sessions/a/plain", body: #"{"direction":"publish"}"#)
            #expect(publish.status == 201)
            let answer = try await http.request("POST", "/v1/sessions/a/plain", body: body)
            #expect(answer.status == 201)
            let json = try answer.json
            #expect(json["address"] as? String == "127.0.0.1")
            #expect((json["audio"] as? [String: Any])?["port"] as? Int == 5004)
            #expect((json["video"] as? [String: Any])?["rtcpPort"] as? Int == 5007)
            let missing = try await http.request(
                "POST", "/v1/sessions/a/plain",
                body: #"{"direction":"subscribe","stream":"none","video":{"port":5006}}"#)
            #expect(missing.status == 404 && missing.problemCode == "unknownStream")
            #expect(try await http.request("DELETE", try #require(answer.fields["location"])).status == 204)
        }
    }

    @Test func namesAndSSRCsAreTakenOnce() async throws {
        try await withRelay { _, http in
            let body = #"{"direction":"publish","stream":"cam","video":{"ssrc":77}}"#
            let first = try await http.request("POST", "/v1/sessions/a/plain", body: body)
            #expect(first.status == 201)
            let twice = try await http.request("POST", "/v1/sessions/a/plain", body: body)
            #expect(twice.status == 409 && twice.problemCode == "streamExists")
            let ssrc = try await http.request(
                "POST", "/v1/sessions/a/plain", body: #"{"direction":"publish","stream":"other","video":{"ssrc":77}}"#)
            #expect(ssrc.status == 409 && ssrc.problemCode == "ssrcInUse")
            // The same SSRC can be used in another session.
            #expect(try await http.request("POST", "/v1/sessions/b/plain", body: body).status == 201)
        }
    }

    @Test func limitsAreNamed() async throws {
        try await withRelay({ $0.limitSessions = 1 }) { _, http in
            let body = #"{"direction":"publish"}"#
            let first = try await http.request("POST", "/v1/sessions/a/plain", body: body)
            #expect(first.status == 201)
            let answer = try await http.request("POST", "/v1/sessions/b/plain", body: body)
            #expect(answer.status == 503 && answer.problemCode == "limitReached")
            #expect(answer.fields["retry-after"] != nil)
            #expect(try answer.json["limit"] as? String == "limit.sessions")
            #expect(
                try await http.request("GET", "/metrics").text.contains("refusals_total{limit=\"limit.sessions\"} 1\n"))
        }
    }

    @Test func muteIsSeen() async throws {
        try await withRelay { _, http in
            #expect(
                try await http.request("POST", "/v1/sessions/a/plain", body: #"{"direction":"publish","stream":"cam"}"#)
                    .status == 201)
            let path = "/v1/sessions/a/streams/cam/mute"
            #expect(try await http.request("PUT", path, body: #"{"kind":"audio","muted":true}"#).status == 204)
            let list = try #require(
                try await http.request("GET", "/v1/sessions/a/streams").json["streams"] as? [[String: Any]])
            #expect((list.first?["audio"] as? [String: Any])?["muted"] as? Bool == true)
            #expect((list.first?["video"] as? [String: Any])?["muted"] as? Bool == false)
            let bad = try await http.request("PUT", path, body: #"{"kind":"smell","muted":true}"#)
            #expect(try bad.status == 422 && bad.json["field"] as? String == "kind")
        }
    }
}

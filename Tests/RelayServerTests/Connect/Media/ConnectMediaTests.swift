import Conference
import ControlServer
import Foundation
import MediaBase
import Signaling
import Testing

@Suite("Media over the control protocol", .serialized)
struct ConnectMediaTests {
    @Test("STR-1, STR-2, STR-3, STR-4 publish, subscribe, receive, unsubscribe, unpublish", .timeLimit(.minutes(2)))
    func publishAndSubscribe() async throws {
        try await withConnect { relay in
            let ada = try await relay.enter("Ada", token: .host)
            let ben = try await relay.enter("Ben")
            let camera = try await ada.publish("camera")
            let id = try #require(camera.id)
            guard case .streamCreated(let created) = try await ben.socket.next(.streamCreated) else { return }
            #expect(created.stream.id == id && created.stream.connection == ada.joined.connection)
            #expect(created.stream.name == "camera" && created.stream.hasAudio && created.stream.hasVideo)
            guard case .userChanged(let changed) = try await ben.socket.next(.userChanged) else { return }
            #expect(changed.user.audio == .on && changed.user.video == .on)

            let sections = try await ben.subscribe(id)
            let connected = SubscriptionChanged(stream: id, state: .connected)
            #expect(try await ben.socket.next(.subscriptionChanged) == .subscriptionChanged(connected))
            try await ben.hears(sections)
            try await eventually("its size is known") {
                ben.socket.events.contains { message in
                    switch message.event {
                    case .streamCreated(let body): body.stream.width == 320 && body.stream.height == 180
                    case .streamChanged(let body): body.stream.width == 320 && body.stream.height == 180
                    default: false
                    }
                }
            }
            let twice = try await ben.socket.ask(SubscribeRequest(stream: id))
            #expect(twice?.code == .alreadySubscribed)

            // STR-3: audio off and on again, without an offer.
            let quiet = SubscriptionPreferences(audio: false)
            #expect(
                try await ben.socket.ask(UpdateSubscriptionRequest(stream: id, preferences: quiet)) == nil)
            try await ben.sees(4, more: sections)
            let before = ben.receiving.reception(sections.audioMid).audioPackets
            try await ben.sees(8, more: sections)
            #expect(ben.receiving.reception(sections.audioMid).audioPackets == before)
            #expect(
                try await ben.socket.ask(
                    UpdateSubscriptionRequest(stream: id, preferences: SubscriptionPreferences())) == nil)
            try await ben.hears(sections)

            let statistics = try await ben.socket.request(StatisticsRequest()).get()
            #expect(statistics.subscribed.count == 2 && statistics.subscribed.allSatisfy { $0.packets > 0 })
            let own = try await ada.socket.request(StatisticsRequest()).get()
            #expect(own.published.map(\.stream) == [id, id])

            // The timelines of both directions grow with the media.
            let overview = try #require(await relay.liveSessions.sessions(app: nil, after: nil, limit: 1).first)
            let address = try SessionKey(app: overview.app, name: overview.name)
            var sent = QualityAnswer()
            var received = QualityAnswer()
            try await eventually("quality of both directions") {
                sent = try await relay.liveSessions.quality(of: ada.joined.connection, in: address)
                received = try await relay.liveSessions.quality(of: ben.joined.connection, in: address)
                return !sent.published.isEmpty && !received.subscribed.isEmpty
            }
            #expect(sent.subscribed.isEmpty && received.published.isEmpty)
            for point in [sent.published[0], received.subscribed[0]] {
                #expect(point.packets > 0 && abs(point.at - Int64(Date().timeIntervalSince1970 * 1_000)) < 60_000)
            }

            // ISS-1: a report has the headers of received and sent packets.
            for (client, side, part) in [(ada, "publish", "published"), (ben, "subscribe", "subscribed")] {
                let kept = try await client.socket.request(ReportIssueRequest()).get()
                let bundle = try await relay.issues.issue(kept.issue).bundle
                let report = try JSONSerialization.jsonObject(with: Data(bundle)) as? [String: Any]
                let peer = (report?["packets"] as? [String: Any])?[side] as? [String: Any]
                let tracks = try #require(peer?[part] as? [[String: Any]])
                #expect(Set(tracks.compactMap { $0["kind"] as? String }) == ["audio", "video"], "\(side)")
                #expect(tracks.allSatisfy { ($0["headers"] as? [String])?.isEmpty == false }, "\(side)")
            }

            // A second stream of the same connection, over the same peer connection.
            let screen = try await ada.publish("screen", videoType: .screen, audio: false, besides: [camera])
            let screenID = try #require(screen.id)
            _ = try await ben.socket.next(.streamCreated)
            let more = try await ben.subscribe(screenID)
            try await ben.hears(more)
            try await ben.hears(sections)
            let third = PublishRequest.Stream(name: "x", audioMid: "9")
            let refused = try await ada.socket.request(
                PublishRequest(sdp: "v=0", streams: [camera, screen, third]))
            #expect(refused.failure?.code == .streamExists)

            #expect(try await ben.socket.ask(UnsubscribeRequest(stream: id)) == nil)
            try await ben.sees(4, more: more)
            let count = ben.receiving.reception(sections.audioMid)
            try await ben.sees(8, more: more)
            #expect(ben.receiving.reception(sections.audioMid) == count)
            try await ben.hears(more)

            #expect(try await ada.socket.ask(UnpublishRequest(stream: screenID)) == nil)
            let destroyed = StreamDestroyed(stream: screenID, reason: .unpublished)
            #expect(try await ben.socket.next(.streamDestroyed) == .streamDestroyed(destroyed))
            #expect(try await ada.socket.next(.streamDestroyed) == .streamDestroyed(destroyed))
            await ada.close()
            await ben.close()
        }
    }

    @Test(
        "MUT-1, MUT-2, MUT-3, MUT-4, USR-4, USR-8 mutes stop packets even if the client continues to send",
        .timeLimit(.minutes(2)))
    func mutes() async throws {
        try await withConnect { relay in
            let ada = try await relay.enter("Ada", token: .host)
            let ben = try await relay.enter("Ben")
            let id = try #require(try await ben.publish("camera").id)
            _ = try await ada.socket.next(.streamCreated)
            let sections = try await ada.subscribe(id)
            try await ada.hears(sections)

            func isSilent(_ stream: OfferMade.Stream) async throws -> Bool {
                // Packets in flight may still arrive.
                try await ada.sees(2, more: sections)
                let muted = ada.receiving.reception(stream.audioMid).audioPackets
                try await ada.sees(10, more: sections)
                return ada.receiving.reception(stream.audioMid).audioPackets == muted
            }
            #expect(try await ada.socket.ask(ForceMuteAllRequest()) == nil)
            #expect(try await isSilent(sections))
            try await eventually("both events") {
                let forced = ben.socket.events.compactMap { message -> MuteForced? in
                    if case .muteForced(let body) = message.event { body } else { nil }
                }
                return forced.contains { $0.stream == id && $0.isActive }
                    && forced.contains { $0.stream == nil && $0.isActive }
            }
            // The publisher's own client unmutes it, and a stream that is published later starts muted.
            let unmute = SetMutedRequest(stream: id, kind: .audio, isMuted: false)
            #expect(try await ben.socket.ask(unmute) == nil)
            try await ada.hears(sections)
            let cleo = try await relay.enter("Cleo")
            #expect(cleo.joined.isMuteForced)
            let late = try #require(try await cleo.publish("late", video: false).id)
            var stream: StreamInfo?
            while stream?.id != late {
                guard case .streamCreated(let created) = try await ada.socket.next(.streamCreated) else { return }
                stream = created.stream
            }
            #expect(stream?.isAudioMuted == true && stream?.hasAudio == false)
            let lateSections = try await ada.subscribe(late)
            try await ada.sees(10, more: sections)
            #expect(ada.receiving.reception(lateSections.audioMid).audioPackets == 0)
            #expect(try await ada.socket.ask(DisableForceMuteRequest()) == nil)
            // USR-8: a moderator cannot unmute another user.
            let again = SetMutedRequest(stream: late, kind: .audio, isMuted: false)
            #expect(try await ada.socket.ask(again)?.code == .notPermitted)
            #expect(try await cleo.socket.ask(again) == nil)
            try await ada.hears(lateSections)
            #expect(
                try await ben.socket.ask(ForceMuteStreamRequest(stream: late))?.code == .notPermitted)
            try await ada.hears(lateSections)
            // MUT-2: only the named stream is muted.
            #expect(try await ada.socket.ask(ForceMuteStreamRequest(stream: late)) == nil)
            #expect(try await isSilent(lateSections))
            try await ada.hears(sections)
            // USR-4: all audio of a user is muted.
            #expect(try await ada.socket.ask(MuteUserRequest(user: ben.joined.connection)) == nil)
            #expect(try await isSilent(sections))
            for client in [ada, ben, cleo] { await client.close() }
        }
    }

    @Test(
        "CON-3 after a snapshot the client keeps its publish peer connection and subscribes anew",
        .timeLimit(.minutes(2)))
    func snapshotKeepsPublishing() async throws {
        try await withConnect({ $0.connect.outbox.replayEvents = 5 }) { relay in
            let ada = try await relay.enter("Ada")
            let ben = try await relay.enter("Ben")
            let own = try #require(try await ben.publish("camera").id)
            let id = try #require(try await ada.publish("camera").id)
            for client in [ada, ben] {
                for _ in 0..<2 { _ = try await client.socket.next(.streamCreated) }
            }
            let sections = try await ben.subscribe(id)
            try await ben.hears(sections)
            let sent = try await ada.subscribe(own)
            await ben.socket.cut()
            _ = try await ada.socket.next(.userDropped)
            for _ in 0..<10 { #expect(try await ada.socket.ask(SignalRequest(type: "n")) == nil) }
            let back = try await relay.connect()
            let request = ResumeRequest(resumeToken: ben.joined.resumeToken, lastEvent: 1, snapshots: true)
            let resumed = try await back.request(request).get()
            let snapshot = try #require(resumed.snapshot)
            #expect(resumed.subscribeLost && !resumed.publishLost)
            #expect(Set(snapshot.streams.map(\.id)) == [own, id])
            try await ada.hears(sent)
            let again = try await MediaClient(back, snapshot)
            try await again.hears(try await again.subscribe(id))
            for client in [ada, ben, again] { await client.close() }
        }
    }

    @Test(
        "CON-3 the media of a lost client continues, and its peer connections still work after it resumes",
        .timeLimit(.minutes(2)))
    func resumeKeepsMedia() async throws {
        try await withConnect { relay in
            let ada = try await relay.enter("Ada")
            let ben = try await relay.enter("Ben")
            let id = try #require(try await ada.publish("camera").id)
            _ = try await ben.socket.next(.streamCreated)
            let sections = try await ben.subscribe(id)
            try await ben.hears(sections)

            await ben.socket.cut()
            _ = try await ada.socket.next(.userDropped)
            try await ben.hears(sections)
            let back = try await relay.connect()
            let request = ResumeRequest(
                resumeToken: ben.joined.resumeToken, lastEvent: ben.socket.events.last?.seq ?? 0)
            let resumed = try await back.request(request).get()
            #expect(!resumed.subscribeLost && !resumed.publishLost)

            // ICE restart of the existing subscribe peer connection.
            let again = try await MediaClient(back, ben.joined, receiving: ben.receiving)
            #expect(try await back.ask(RestartICERequest()) == nil)
            let offer = try await again.answerOffer()
            #expect(offer.streams.map(\.id) == [id])
            try await again.hears(try #require(offer.streams.first))

            // ICE restart of the publish peer connection.
            let info = PublishRequest.Stream(id: id, name: "camera", audioMid: "0", videoMid: "1")
            let (sdp, mids) = ada.publishing.offer(restart: true)
            #expect(mids == ["0", "1"])
            let answer = try await ada.socket.request(
                PublishRequest(sdp: sdp, streams: [info])
            ).get()
            try ada.publishing.accept(answer.sdp)
            #expect(answer.streams == [id])
            try await again.hears(try #require(offer.streams.first))
            for client in [ada, ben, again] { await client.close() }
        }
    }

    @Test("CON-3 a client whose publish peer connection ended while it was lost is told so", .timeLimit(.minutes(2)))
    func publishLost() async throws {
        try await withConnect { relay in
            let ada = try await relay.enter("Ada")
            let (ben, _) = try await relay.join("Ben")
            _ = try await ada.publish("camera")
            _ = try await ben.next(.streamCreated)
            await ada.socket.cut()
            _ = try await ben.next(.userDropped)
            await ada.publishing.close()
            _ = try await ben.next(.streamDestroyed)
            let back = try await relay.connect()
            let request = ResumeRequest(
                resumeToken: ada.joined.resumeToken, lastEvent: ada.socket.events.last?.seq ?? 0)
            let resumed = try await back.request(request).get()
            #expect(resumed.publishLost)
            await ada.close()
        }
    }

    @Test("STR-6, STR-2 streams of a client that does not resume end after the grace time", .timeLimit(.minutes(2)))
    func graceEndsStreams() async throws {
        try await withConnect({ $0.connect.conference.graceTime = .milliseconds(500) }) { relay in
            let ada = try await relay.enter("Ada")
            let ben = try await relay.enter("Ben")
            let id = try #require(try await ada.publish("camera").id)
            _ = try await ben.socket.next(.streamCreated)
            _ = try await ben.subscribe(id)
            await ada.socket.cut()
            guard case .streamChanged = try await ben.socket.next(.streamChanged) else { return }
            let destroyed = StreamDestroyed(stream: id, reason: .networkLost)
            #expect(try await ben.socket.next(.streamDestroyed) == .streamDestroyed(destroyed))
            try await eventually("the engine has it no more") {
                ((try? await relay.engine.streams(session: "demo")) ?? []).isEmpty
            }
            for client in [ada, ben] { await client.close() }
        }
    }

    @Test("WHIP and plain publishers are users, and the session's rules apply to them", .timeLimit(.minutes(2)))
    func barePublishers() async throws {
        try await withConnect { relay in
            let ada = try await relay.enter("Ada", token: .host)
            let plain = try await relay.http.request(
                "POST", "/v1/sessions/Demo/plain", body: #"{"direction":"publish","stream":"cam","audio":{"ssrc":1}}"#)
            #expect(plain.status == 201)
            guard case .userJoined(let joined) = try await ada.socket.next(.userJoined),
                case .streamCreated(let created) = try await ada.socket.next(.streamCreated)
            else { return }
            #expect(joined.user.kind == .publisher && joined.user.name == "cam")
            #expect(created.stream.id.rawValue == "cam" && created.stream.hasAudio)
            let cam = created.stream.id
            let path = "/v1/sessions/demo/streams/cam/mute"
            #expect(try await relay.http.request("PUT", path, body: #"{"kind":"audio","muted":true}"#).status == 204)
            guard case .streamChanged(let muted) = try await ada.socket.next(.streamChanged) else { return }
            #expect(muted.stream.isAudioMuted)
            #expect(try await relay.http.request("PUT", path, body: #"{"kind":"audio","muted":false}"#).status == 204)

            let whip = try await relay.http.publish(stream: "web")
            #expect(whip.status == 201)
            guard case .userJoined(let web) = try await ada.socket.next(.userJoined) else { return }
            #expect(try await relay.http.request("DELETE", try #require(whip.fields["location"])).status == 200)
            let left = UserLeft(user: web.user.id, reason: .left)
            #expect(try await ada.socket.next(.userLeft) == .userLeft(left))

            // A host can remove the publisher like any user, and its transport is closed.
            #expect(try await ada.socket.ask(RemoveUserRequest(user: joined.user.id)) == nil)
            let destroyed = StreamDestroyed(stream: cam, reason: .forced)
            #expect(try await ada.socket.next(.streamDestroyed) == .streamDestroyed(destroyed))
            let location = try #require(plain.fields["location"])
            try await eventually("its transport is gone") {
                try await relay.http.request("DELETE", location).status == 404
            }
            await ada.close()
        }
    }
}

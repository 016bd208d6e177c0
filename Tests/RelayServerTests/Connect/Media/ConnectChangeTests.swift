import DTLS
import MediaBase
import Signaling
import Testing

@Suite("Publishing again over the control protocol", .serialized)
struct ConnectChangeTests {
    @Test(
        "STR-1 the same streams continue on a publish peer connection with another certificate",
        .timeLimit(.minutes(2)))
    func anotherCertificate() async throws {
        try await withConnect { relay in
            let ada = try await relay.enter("Ada")
            let ben = try await relay.enter("Ben")
            var camera = try await ada.publish("camera")
            let id = try #require(camera.id)
            _ = try await ben.socket.next(.streamCreated)
            let sections = try await ben.subscribe(id)
            try await ben.hears(sections)

            var peers: [MediaPeer] = []
            for _ in 0..<3 {
                let anew = try await MediaPeer(.publish, identity: .generate())
                let indices = anew.add()
                let (sdp, mids) = anew.offer()
                camera.audioMid = indices.audio.flatMap { mids[$0] }
                camera.videoMid = indices.video.flatMap { mids[$0] }
                let answer = try await ada.socket.request(
                    PublishRequest(sdp: sdp, streams: [camera])
                ).get()
                #expect(answer.streams == [id])
                try anew.accept(answer.sdp)
                try await ben.hears(sections)
                // The engine's event about the old transport's end has been handled by then.
                try await ben.sees(5, more: sections)
                peers.append(anew)
            }
            for client in [ada, ben] {
                #expect(!client.socket.events.contains { $0.event.name == .streamDestroyed })
                #expect(!client.socket.events.contains { $0.event.name == .mediaReset })
            }
            for peer in peers { await peer.close() }
            for client in [ada, ben] { await client.close() }
        }
    }

    @Test(
        "STR-1 STR-3 video that is added to a stream reaches its subscribers",
        .timeLimit(.minutes(2)))
    func addedTrack() async throws {
        try await withConnect { relay in
            let ada = try await relay.enter("Ada")
            let ben = try await relay.enter("Ben")
            var camera = try await ada.publish("camera", video: false)
            let id = try #require(camera.id)
            _ = try await ben.socket.next(.streamCreated)
            let before = try await ben.subscribe(id)
            #expect(before.audioMid != nil && before.videoMid == nil)
            try await ben.hears(before)

            let index = try #require(ada.publishing.add(audio: false).video)
            let (sdp, mids) = ada.publishing.offer()
            camera.videoMid = mids[index]
            let answer = try await ada.socket.request(
                PublishRequest(sdp: sdp, streams: [camera])
            ).get()
            try ada.publishing.accept(answer.sdp)
            let offer = try await ben.answerOffer()
            let after = try #require(offer.streams.first { $0.id == id })
            #expect(after.audioMid == before.audioMid && after.videoMid != nil)
            try await ben.hears(after)
            try await ben.sees(5, more: after)

            // When the video is removed, its media section ends.
            camera.videoMid = nil
            ada.publishing.stop(index)
            let (less, _) = ada.publishing.offer()
            let last = try await ada.socket.request(
                PublishRequest(sdp: less, streams: [camera])
            ).get()
            try ada.publishing.accept(last.sdp)
            let final = try await ben.answerOffer()
            #expect(final.streams.first { $0.id == id }?.videoMid == nil)
            try await ben.hears(before)
            for client in [ada, ben] { await client.close() }
        }
    }

    @Test("an answer comes before the events that its request causes", .timeLimit(.minutes(2)))
    func answerFirst() async throws {
        try await withConnect { relay in
            let ada = try await relay.enter("Ada", token: .host)
            let ben = try await relay.enter("Ben")
            var camera = try await ada.publish("camera")
            let id = try #require(camera.id)
            _ = try await ada.socket.next(.streamCreated)
            _ = try await ben.socket.next(.streamCreated)

            camera.name = "another"
            let (sdp, _) = ada.publishing.offer()
            let publish = try await ada.socket.post(PublishRequest(sdp: sdp, streams: [camera]))
            let answer = try await ada.socket.answer(to: publish, as: PublishRequest.Answer.self).get()
            try ada.publishing.accept(answer.sdp)
            func isRenamed(_ event: Event) -> Bool {
                if case .streamChanged(let body) = event { body.stream.name == "another" } else { false }
            }
            try await eventually("the new name") { ada.socket.events.contains { isRenamed($0.event) } }
            #expect(ada.socket.came(publish, before: isRenamed))

            let mute = try await ada.socket.post(
                SetMutedRequest(stream: id, kind: .audio, isMuted: true))
            _ = try await ada.socket.answer(to: mute, as: Done.self).get()
            func isMuted(_ event: Event) -> Bool {
                if case .streamChanged(let body) = event { body.stream.isAudioMuted } else { false }
            }
            try await eventually("the mute") { ada.socket.events.contains { isMuted($0.event) } }
            #expect(ada.socket.came(mute, before: isMuted))

            let second = try #require(try await ben.publish("other").id)
            let force = try await ada.socket.post(ForceMuteAllRequest())
            _ = try await ada.socket.answer(to: force, as: Done.self).get()
            func isForced(_ event: Event) -> Bool {
                if case .muteForced(let body) = event { body.isActive } else { false }
            }
            try await eventually("the force") { ada.socket.events.contains { isForced($0.event) } }
            #expect(ada.socket.came(force, before: isForced) && second != id)
            // Event numbers stay in order.
            #expect(ada.socket.events.map(\.seq) == Array(1...UInt64(ada.socket.events.count)))
            for client in [ada, ben] { await client.close() }
        }
    }
}

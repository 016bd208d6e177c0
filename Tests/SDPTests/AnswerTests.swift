import MediaBase
import RTP
import SDP
import Testing

@Suite("SDP: answers") struct AnswerTests {
    static func answered(_ name: String) throws -> (offer: Offer, tracks: [AnsweredTrack], answer: SessionDescription) {
        let offer = try Peers.offer(name)
        let tracks =
            Peers.subscribers.contains(name)
            ? Peers.send(try offer.sendable()) : Peers.receive(try offer.receivable())
        return (offer, tracks, offer.answer(try Peers.relay, tracks: tracks))
    }

    @Test(arguments: Peers.publishers + Peers.subscribers) func haveTheSectionsOfTheOffer(name: String) throws {
        let (offer, tracks, answer) = try Self.answered(name)
        let mids = Set(tracks.map(\.track.mid.rawValue))
        #expect(answer.media.map(\.media) == offer.description.media.map(\.media))
        #expect(answer.media.map(\.proto) == offer.description.media.map(\.proto))
        #expect(answer.media.map(\.mid) == offer.description.media.map(\.mid))
        #expect(answer.media.filter { !$0.isRejected }.compactMap(\.mid) == tracks.map(\.track.mid.rawValue))
        for section in answer.media where !mids.contains(section.mid ?? "") {
            #expect(section.port == 0 && section.lines.has("inactive") && !section.lines.has("candidate"))
        }
        #expect(answer.lines.value("group") == "BUNDLE " + tracks.map(\.track.mid.rawValue).joined(separator: " "))
        #expect(answer.lines.has("ice-lite"))
        #expect(answer.lines.has("extmap-allow-mixed") == offer.description.lines.has("extmap-allow-mixed"))
        #expect(try SessionDescription(parsing: answer.text).text == answer.text)
    }

    @Test(arguments: Peers.publishers + Peers.subscribers) func saysNothingThatWasNotOffered(name: String) throws {
        let (offer, tracks, answer) = try Self.answered(name)
        for (section, offered) in zip(answer.media, offer.description.media) {
            #expect(Set(section.formats).isSubset(of: offered.formats))
            let numbers = Set(section.lines.attributes("rtpmap").compactMap { $0.value?.split(separator: " ").first })
            #expect(numbers.isSubset(of: section.formats.map { Substring($0) }))
            guard !section.isRejected else { continue }
            #expect(numbers.count == section.formats.count)
            let messages = offered.lines.attributes("rtcp-fb").compactMap(\.value)
            for message in section.lines.attributes("rtcp-fb").compactMap(\.value) {
                let anyType = "* \(message.split(separator: " ", maxSplits: 1)[1])"
                #expect(messages.contains { $0.hasPrefix(message) || $0.hasPrefix(anyType) }, "\(message)")
            }
            let extensions = (offered.lines + offer.description.lines).attributes("extmap").compactMap(\.value)
            for line in section.lines.attributes("extmap").compactMap(\.value) {
                #expect(extensions.contains { $0.contains(line.split(separator: " ")[1]) }, "\(line)")
            }
            #expect(section.lines.has("rtcp-rsize") == offered.lines.has("rtcp-rsize"))
            #expect(section.lines.has("rtcp-mux"))
        }
        #expect(tracks.count == answer.media.count { !$0.isRejected })
    }

    @Test(arguments: Peers.publishers + Peers.subscribers) func describesTheRelaysTransport(name: String) throws {
        let (_, _, answer) = try Self.answered(name)
        let relay = try Peers.relay
        for section in answer.media {
            #expect(section.lines.value("ice-ufrag") == relay.credentials.ufrag)
            #expect(section.lines.value("ice-pwd") == relay.credentials.password)
            #expect(section.lines.value("fingerprint") == relay.fingerprint.description)
            #expect(section.lines.value("setup") == "passive")
        }
        let accepted = answer.media.filter { !$0.isRejected }
        #expect(accepted.allSatisfy { $0.port == 7882 && $0.lines.first?.text == "c=IN IP4 192.0.2.9" })
        #expect(accepted.allSatisfy { $0.lines.attributes("candidate").count == 3 })
        #expect(accepted.allSatisfy { $0.lines.has("end-of-candidates") })
    }

    /// The client's reading of the answer equals the relay's.
    @Test(arguments: Peers.publishers + Peers.subscribers) func areReadAsTheyWereMeant(name: String) throws {
        let (offer, tracks, answer) = try Self.answered(name)
        let relay = try Peers.relay
        let read = try Answer(parsing: answer.text.utf8, to: offer.description)
        #expect(read.peer.credentials == relay.credentials && read.peer.isLite)
        #expect(read.peer.fingerprints == [relay.fingerprint] && read.peer.setup == .passive)
        #expect(read.candidates == relay.candidates)
        #expect(read.tracks.map(\.direction) == tracks.map { $0.sends ? .sendonly : .recvonly })
        for (read, meant) in zip(read.tracks.map(\.track), tracks) {
            var expected = meant.track
            switch meant {
            case .receive(let track), .idle(let track):
                // SSRCs are only stated by the sender.
                let rids = track.encodings.filter { $0.rid != nil }
                expected.encodings = rids.isEmpty ? [.init()] : rids
            case .send(_, let ssrc, let rtxSSRC, _, _, _):
                expected.encodings = [.init(ssrc: ssrc, rtxSSRC: rtxSSRC)]
            }
            #expect(read == expected)
        }
    }

    @Test(arguments: ["chromium-simulcast", "firefox-simulcast", "safari-simulcast"])
    func simulcastIsAccepted(name: String) throws {
        let (_, tracks, answer) = try Self.answered(name)
        let rids = try #require(tracks.last).track.encodings.compactMap(\.rid?.rawValue)
        #expect(rids.count == 3)
        let video = try #require(answer.media.last)
        #expect(video.lines.value("simulcast") == "recv " + rids.joined(separator: ";"))
        #expect(video.lines.attributes("rid").map(\.value) == rids.map { "\($0) recv" })
    }

    @Test func retransmissionsSentHaveAGroup() throws {
        let (_, _, answer) = try Self.answered("aiortc-view")
        let text = answer.text
        #expect(
            text.contains(
                "a=ssrc-group:FID 1001 2001\r\na=ssrc:1001 cname:cname\r\na=ssrc:1001 msid:stream track1\r\n"
                    + "a=ssrc:2001 cname:cname\r\na=ssrc:2001 msid:stream track1\r\n"))
        #expect(text.contains("a=msid:stream track1\r\n"))
        #expect(!text.contains("FID 1000"))
    }

    @Test(arguments: [
        ("chromium-publish", "111 minptime=10;useinbandfec=1;stereo=1"),
        ("chromium-view", "111 minptime=10;useinbandfec=1;stereo=1;sprop-stereo=1"),
        ("safari-simulcast", "111 minptime=10;useinbandfec=1;stereo=1;usedtx=1"),
    ]) func opusIsAskedForInStereo(name: String, parameters: String) throws {
        let (_, _, answer) = try Self.answered(name)
        let audio = try #require(answer.media.first { $0.media == "audio" })
        #expect(audio.lines.value("fmtp") == parameters)
    }

    @Test(
        arguments: [
            ("chromium-publish", "trickle"), ("firefox-view", "trickle"), ("obs-publish", "trickle ice2"),
            ("aiortc-view", nil), ("sources-simulcast", nil),
        ] as [(String, String?)]) func optionsOfICE(name: String, options: String?) throws
    {
        let (offer, _, answer) = try Self.answered(name)
        #expect(answer.media.first?.lines.value("ice-options") == options)
        #expect(offer.canTrickle == (options != nil))
    }

    @Test func renominationIsNotAnOptionOfALiteAgent() throws {
        let text = try Peers.text("chromium-publish").changing("trickle", to: "trickle renomination ice2")
        let offer = try Offer(parsing: text.utf8)
        let answer = offer.answer(try Peers.relay, tracks: Peers.receive(try offer.receivable()))
        #expect(answer.media.first?.lines.value("ice-options") == "trickle ice2")
    }

    @Test func theOtherSideOfSetup() {
        #expect(PeerDescription.Setup.actpass.answered == .passive)
        #expect(PeerDescription.Setup.active.answered == .passive)
        #expect(PeerDescription.Setup.passive.answered == .active)
    }

    @Test func directionsOfExtensionsAreTurnedRound() throws {
        let (_, _, answer) = try Self.answered("firefox-simulcast")
        let lines = answer.media.last?.lines.attributes("extmap").compactMap(\.value) ?? []
        #expect(lines.contains("9/recvonly urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id"))
        #expect(lines.contains("3 urn:ietf:params:rtp-hdrext:sdes:mid"))
        #expect(!lines.contains { $0.contains("playout-delay") })
    }

    @Test func aRejectedSectionKeepsWhatClientsLookFor() throws {
        let offer = try Peers.offer("aiortc-publish")
        let video = try offer.receivable()[1]
        let answer = offer.answer(try Peers.relay, tracks: [.receive(video)])
        let audio = answer.media[0]
        #expect(audio.text == "m=audio 0 UDP/TLS/RTP/SAVPF 96")
        #expect(audio.lines.has("rtcp-mux") && audio.lines.value("rtpmap") == "96 opus/48000/2")
        #expect(audio.lines.value("mid") == "0")
        #expect(answer.lines.value("group") == "BUNDLE 1")
        #expect(answer.media[1].lines.attributes("candidate").count == 3)
        let none = offer.answer(try Peers.relay, tracks: [])
        #expect(none.media.allSatisfy(\.isRejected) && !none.lines.has("group"))
    }

    @Test func withoutAUDPCandidateThePortIsAPlaceholder() throws {
        let offer = try Peers.offer("pion-view")
        var relay = try Peers.relay
        relay.candidates.removeFirst()
        let tracks = Peers.send(try offer.sendable())
        #expect(offer.answer(relay, tracks: tracks).media[0].lines.first?.text == "c=IN IP6 2001:db8::9")
        relay.candidates.removeFirst()
        let answer = offer.answer(relay, tracks: tracks)
        #expect(answer.media[0].port == 9 && answer.media[0].lines.first?.text == "c=IN IP4 0.0.0.0")
    }

    @Test func namesBringNoLinesOfTheirOwn() throws {
        let offer = try Peers.offer("pion-view")
        let track = try offer.sendable()[0]
        let answer = offer.answer(
            try Peers.relay,
            tracks: [
                .send(
                    track, ssrc: SSRC(1), rtxSSRC: SSRC(2), cname: "a\r\na=x:y", streamID: "my stream\n",
                    trackID: String(repeating: "\u{e9}", count: 100))
            ])
        #expect(try SessionDescription(parsing: answer.text).text == answer.text)
        #expect(!answer.media[0].lines.has("x"))
        #expect(answer.media[0].lines.value("msid") == "my-stream- " + String(repeating: "-", count: 64))
    }
}

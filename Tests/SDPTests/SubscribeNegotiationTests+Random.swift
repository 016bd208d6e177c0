import MediaBase
import MillraceTestKit
import SDP
import Testing

extension SubscribeNegotiationTests {
    /// Tracks that the media plane would send by now.
    private struct Plane {
        var sent: [MID: SubscriberTrack] = [:]

        mutating func remove(_ mids: [MID]) { for mid in mids { sent[mid] = nil } }

        mutating func take(_ agreement: SubscribeAgreement) {
            remove(agreement.removed)
            for track in agreement.added { #expect(sent.updateValue(track, forKey: track.track.mid) == nil) }
        }
    }

    private struct Run {
        var negotiation: SubscribeNegotiation
        var random: SeededGenerator
        var client = SubscribingClient()
        var checker = RelayOfferChecker()
        var plane = Plane()
        var requested: [String: Set<MediaKind>] = [:]
        var refused: [String: Set<MediaKind>] = [:]
        var now = MediaTime.zero
        var offers = 0
        var restarts = 0
        var mostAtOnce = 0

        mutating func step(streams: Int, limit: Int, answersBadly: Bool) throws {
            now = now + .milliseconds(Int64.random(in: 0...3, using: &random))
            let stream = "stream-\(Int.random(in: 0..<streams, using: &random))"
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<50:
                try change(stream, limit)
            case 50..<54:
                guard requested[stream] != nil else { return }
                let kinds = kinds()
                requested[stream] = kinds
                refused[stream]?.formIntersection(kinds)
                plane.remove(try negotiation.setKinds(kinds, of: stream, now: now))
            case 54..<58:
                if let offer = negotiation.takeOffer(now: now) {
                    offers += 1
                    try checker.check(offer)
                }
            case 58..<64:
                if negotiation.openOffer != nil { try answer(badly: answersBadly) }
            case 64:
                let revision = (negotiation.openOffer?.revision ?? 0) + Int.random(in: 1...3, using: &random)
                #expect(throws: SubscribeNegotiationError.staleOffer(revision: revision)) {
                    try negotiation.accept("", revision: revision, now: now)
                }
            case 65:
                guard Int.random(in: 0..<20, using: &random) == 0 else { return }
                negotiation.restart(.random(using: &random), now: now)
                restarts += 1
            case 66:
                guard answersBadly, Int.random(in: 0..<20, using: &random) == 0 else { return }
                negotiation.reset(relay: try SubscribeNegotiationTests.relay(random.next()), now: now)
                plane.sent = [:]
                refused = [:]
                checker.reset()
            default: break
            }
            mostAtOnce = max(mostAtOnce, requested.count)
            // No track is sent that is not subscribed to now.
            for track in plane.sent.values {
                #expect(requested[track.stream]?.contains(track.track.kind) == true, "\(track.stream)")
            }
        }

        private mutating func kinds() -> Set<MediaKind> {
            [[.audio, .video], [.audio, .video], [.audio], [.video]].randomElement(using: &random) ?? []
        }

        private mutating func change(_ stream: String, _ limit: Int) throws {
            if requested[stream] != nil {
                // Grows more often than it shrinks.
                guard Int.random(in: 0..<3, using: &random) == 0 else { return }
                requested[stream] = nil
                refused[stream] = nil
                plane.remove(try negotiation.unsubscribe(stream, now: now))
            } else if requested.count < limit {
                let kinds = kinds()
                requested[stream] = kinds
                try negotiation.subscribe(stream, kinds: kinds, now: now)
            } else {
                #expect(throws: SubscribeNegotiationError.limitReached(limit)) {
                    try negotiation.subscribe(stream, kinds: [.audio], now: now)
                }
            }
        }

        mutating func answer(badly: Bool) throws {
            guard let offer = negotiation.openOffer else { return }
            client.rejects = []
            client.ignores = []
            if badly {
                for mid in offer.streams.flatMap({ [$0.audioMid, $0.videoMid].compactMap(\.self) }) {
                    switch Int.random(in: 0..<60, using: &random) {
                    case 0: client.rejects.insert(mid)
                    case 1: client.ignores.insert(mid)
                    default: break
                    }
                }
            }
            let agreement = try negotiation.accept(
                try client.answer(offer.sdp), revision: offer.revision, now: now)
            plane.take(agreement)
            for refusal in agreement.refused { refused[refusal.stream, default: []].insert(refusal.kind) }
        }

        /// Exchanges offers until nothing has changed.
        mutating func settle() throws {
            for _ in 0..<10 {
                if negotiation.openOffer != nil { try answer(badly: false) }
                now = now + .seconds(1)
                guard let offer = negotiation.takeOffer(now: now) else { break }
                try checker.check(offer)
            }
            #expect(negotiation.openOffer == nil && negotiation.deadline == .never)
            var sent: [String: Set<MediaKind>] = [:]
            for track in plane.sent.values { sent[track.stream, default: []].insert(track.track.kind) }
            for (stream, kinds) in requested {
                #expect(sent[stream] ?? [] == kinds.subtracting(refused[stream] ?? []), "\(stream)")
            }
            let ssrcs = plane.sent.values.flatMap { [$0.ssrc, $0.rtxSSRC].compactMap(\.self) }
            #expect(Set(ssrcs).count == ssrcs.count)
        }
    }

    @Test(
        "Subscriptions come and go over 6,000 steps, with clients that accept everything and clients that do not",
        arguments: [(20, 16, true), (20, 16, false), (320, 200, true)])
    func random(streams: Int, limit: Int, answersBadly: Bool) throws {
        var run = Run(
            negotiation: try Self.negotiation(seed: 7) { $0.maximumSubscriptions = limit },
            random: SeededGenerator(seed: 8))
        for step in 0..<6_000 {
            // Larger descriptions are exchanged less often: each is half a megabyte.
            let isRare = limit == 200 && !step.isMultiple(of: 10)
            let before = run.random
            if isRare, run.random.next() % 100 >= 54 { continue }
            run.random = before
            try run.step(streams: streams, limit: limit, answersBadly: answersBadly)
            if step.isMultiple(of: 2_500) { try run.settle() }
        }
        try run.settle()
        #expect(run.offers > 50, "\(run.offers)")
        #expect(run.mostAtOnce == limit, "\(run.mostAtOnce)")
        #expect(run.restarts > 0)
    }
}

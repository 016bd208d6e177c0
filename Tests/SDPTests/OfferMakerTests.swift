import MediaBase
import MillraceTestKit
import RTP
import SDP
import Testing

@Suite("SDP: offers of our own") struct OfferMakerTests {
    static func maker(_ random: inout SeededGenerator) throws -> OfferMaker {
        let fingerprint = try #require(CertificateFingerprint(.sha256, bytes: random.bytes(32)))
        return OfferMaker(
            credentials: .random(using: &random), fingerprint: fingerprint,
            candidates: random.below(2) == 0 ? [] : try Peers.relay.candidates)
    }

    static func tracks(_ random: inout SeededGenerator, publish: Bool) throws -> [TrackDescription] {
        func ssrc() -> SSRC { SSRC(UInt32(truncatingIfNeeded: random.next())) }
        let retransmits = random.below(3) > 0
        var encodings: [TrackDescription.Encoding] = []
        switch random.below(3) {
        case 0: encodings = ["h", "m", "l"].prefix(1 + random.below(3)).map { .init(rid: RID($0)) }
        case 1: encodings = (0...random.below(3)).map { _ in .init(ssrc: ssrc(), rtxSSRC: retransmits ? ssrc() : nil) }
        default: encodings = [.init()]
        }
        var tracks = [
            TrackDescription.offered(.audio, encodings: publish ? [.init(ssrc: ssrc())] : []),
            TrackDescription.offered(.video, retransmits: retransmits, encodings: publish ? encodings : []),
        ]
        if random.below(4) == 0 { tracks.remove(at: random.below(2)) }
        if random.below(2) == 0 { tracks.reverse() }
        return tracks
    }

    @Test(arguments: 0..<200) func areReadAsTheyWereMeant(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let publish = seed % 2 == 0
        let maker = try Self.maker(&random)
        let tracks = try Self.tracks(&random, publish: publish)
        let description = publish ? maker.publish(tracks) : maker.view(tracks)
        let offer = try Offer(parsing: description.text.utf8)
        #expect(try (publish ? offer.receivable() : offer.sendable()) == tracks)
        #expect(
            offer.peer
                == PeerDescription(
                    credentials: maker.credentials, fingerprints: [maker.fingerprint], setup: .actpass))
        #expect(offer.candidates == maker.candidates)
        #expect(offer.canTrickle)
    }
}

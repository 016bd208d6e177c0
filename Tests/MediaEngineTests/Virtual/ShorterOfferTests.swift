import MediaBase
import MediaEngine
import SDP
import Testing

@Suite("Offers that break RFC 3264, in virtual time")
struct ShorterOfferTests {
    @Test("A later offer with fewer sections that keeps a stream's SSRC is answered")
    func fewerSections() throws {
        let room = try VirtualSession(seed: 41)
        let ada = room.join("Ada")
        let bob = room.join("Bob")
        for stream in ["first", "second", "third"] { try room.publish(stream, by: ada) }
        for stream in ["first", "second"] { try room.subscribe(bob, to: stream) }
        try room.run(seconds: 1)
        #expect(bob.received["second"]?.packets ?? 0 > 0)
        try room.subscribe(bob, to: "third")
        let made = bob.negotiation?.takeOffer(now: room.call.now + .seconds(1))
        let offer = try #require(made)
        // The session level, then a part for each section. The sections of the second stream remain.
        let parts = offer.sdp.split(separator: "\r\nm=", omittingEmptySubsequences: false).map(String.init)
        try #require(parts.count == 7)
        let kept = parts[3...4]
        let mids = kept.compactMap { part in
            part.split(whereSeparator: \.isNewline).first { $0.hasPrefix("a=mid:") }?.dropFirst("a=mid:".count)
        }
        let level = parts[0].split(whereSeparator: \.isNewline).map { line in
            line.hasPrefix("a=group:BUNDLE") ? "a=group:BUNDLE " + mids.joined(separator: " ") : String(line)
        }
        let text = ([level.joined(separator: "\r\n")] + kept).joined(separator: "\r\nm=") + "\r\n"
        let answer = try bob.receiving.answer(Array(text.utf8), now: room.call.now)
        #expect(answer.contains("m=audio") && answer.contains("m=video"))
    }
}

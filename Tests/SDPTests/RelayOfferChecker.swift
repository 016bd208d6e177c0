import MediaBase
import SDP
import Testing

/// Checks the offers of one subscribe peer connection against the requirements of RFC 8829 and RFC 9143 on their sequence.
struct RelayOfferChecker {
    private struct Section {
        let media: String
        let mid: String
        let isRejected: Bool
    }

    private struct Carried: Hashable {
        let stream: String
        let media: String
    }

    private var before: [Section] = []
    private var revision: Int?
    /// Meaning of each SSRC, which never changes.
    private var sources: [String: Carried] = [:]
    private var mids: Set<String> = []

    /// Begins a new peer connection.
    mutating func reset() {
        before = []
        mids = []
    }

    mutating func check(_ offer: SubscribeOffer) throws {
        let description = try SessionDescription(parsing: Array(offer.sdp.utf8), limits: .subscription)
        #expect(revision.map { offer.revision == $0 + 1 } ?? true)
        revision = offer.revision
        let sections = try description.media.map {
            Section(media: $0.media, mid: try #require($0.mid), isRejected: $0.isRejected)
        }
        // Sections keep their positions, and their MIDs unless they were rejected.
        #expect(sections.count >= before.count)
        for (old, new) in zip(before, sections) {
            #expect(old.media == new.media)
            if old.mid != new.mid { #expect(old.isRejected && mids.insert(new.mid).inserted) }
        }
        for section in sections.dropFirst(before.count) { #expect(mids.insert(section.mid).inserted) }
        before = sections
        #expect(Set(sections.map(\.mid)).count == sections.count)
        let group = description.lines.value("group") ?? "BUNDLE"
        #expect(group == (["BUNDLE"] + sections.filter { !$0.isRejected }.map(\.mid)).joined(separator: " "))
        #expect(description.lines.has("ice-lite"))
        try checkSources(description, offer)
    }

    private mutating func checkSources(_ description: SessionDescription, _ offer: SubscribeOffer) throws {
        var carried: [Carried: String] = [:]
        var seen: Set<String> = []
        for section in description.media {
            let lines = section.lines
            guard lines.has("sendonly") else {
                #expect(lines.has("inactive") && !lines.has("msid") && !lines.has("ssrc"))
                continue
            }
            #expect(section.port != 0)
            let stream = String(try #require(lines.value("msid")).split(separator: " ")[0])
            let what = Carried(stream: stream, media: section.media)
            #expect(carried.updateValue(section.mid ?? "", forKey: what) == nil)
            var own: [String] = []
            for line in lines.attributes("ssrc") {
                let ssrc = String((line.value ?? "").split(separator: " ")[0])
                if !own.contains(ssrc) { own.append(ssrc) }
                #expect(sources.updateValue(what, forKey: ssrc) ?? what == what)
            }
            #expect(own.count == (section.media == "video" ? 2 : 1))
            for ssrc in own { #expect(seen.insert(ssrc).inserted) }
            #expect(
                lines.value("ssrc-group") == (section.media == "video" ? "FID " + own.joined(separator: " ") : nil))
            for name in ["rtcp-mux", "rtcp-rsize", "fingerprint", "ice-ufrag", "ice-pwd"] { #expect(lines.has(name)) }
            #expect(lines.value("setup") == "actpass")
        }
        var said: [Carried: String] = [:]
        for stream in offer.streams {
            said[Carried(stream: stream.id, media: "audio")] = stream.audioMid
            said[Carried(stream: stream.id, media: "video")] = stream.videoMid
        }
        #expect(said == carried)
    }
}

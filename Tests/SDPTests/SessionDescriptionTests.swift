import SDP
import Testing

@Suite("SDP: a description as lines") struct SessionDescriptionTests {
    static let minimal = "v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\ns=-\r\nt=0 0\r\n"

    @Test(arguments: Peers.publishers + Peers.subscribers) func whatIsReadIsPrintedAgain(name: String) throws {
        let text = try Peers.text(name)
        #expect(try SessionDescription(parsing: text).text == text)
    }

    @Test func lineEndsMayBeShortAndLinesBlank() throws {
        let text = try Peers.text("chromium-publish")
        let short = text.changing("\r\n", to: "\n\n")
        #expect(try SessionDescription(parsing: short).text == text)
        #expect(try SessionDescription(parsing: String(text.dropLast())).text == text)
    }

    @Test func partsOfALine() throws {
        let parsed = try SessionDescription(
            parsing: Self.minimal + "a=flag\r\na=empty:\r\na=colons:a:b\r\nm=audio 49170/2 RTP/AVP 0 8\r\ni=x\r\n")
        #expect(parsed.lines.attribute("flag")?.value == nil)
        #expect(parsed.lines.value("empty") == "")
        #expect(parsed.lines.value("colons") == "a:b")
        #expect(parsed.media[0].port == 49170)
        #expect(parsed.media[0].formats == ["0", "8"])
        #expect(parsed.media[0].lines.map(\.text) == ["i=x"])
        #expect(parsed.text.hasSuffix("m=audio 49170 RTP/AVP 0 8\r\ni=x\r\n"))
    }

    @Test func sixtyFourKiBAreTaken() throws {
        let room = SessionDescription.maximumLength - Self.minimal.utf8.count - 4
        let longest = Self.minimal + "i=" + String(repeating: "x", count: room) + "\r\n"
        #expect(longest.utf8.count == 65_536)
        #expect(try SessionDescription(parsing: longest).text == longest)
        #expect(throws: SDPError.tooLong(bytes: 65_537)) { try SessionDescription(parsing: longest + "\n") }
    }

    @Test func aHundredSectionsAreTaken() throws {
        let section = "m=audio 9 RTP/AVP 0\r\n"
        let most = Self.minimal + String(repeating: section, count: 100)
        #expect(try SessionDescription(parsing: most).media.count == 100)
        #expect(throws: SDPError.tooManySections(line: 105)) { try SessionDescription(parsing: most + section) }
    }

    static let brokenHeads: [(String, SDPError)] = [
        ("", .missing(line: 1, field: "v=")),
        ("\r\n\r\n", .missing(line: 1, field: "v=")),
        ("o=- 1 1 IN IP4 0.0.0.0\r\nv=0\r\n", .missing(line: 1, field: "v=")),
        ("v=1\r\n", .malformed(line: 1, field: "v=")),
        ("v=0\r\ns=-\r\n", .missing(line: 1, field: "o=")),
        ("v=0\r\no=- 1 1 IN IP4\r\n", .malformed(line: 2, field: "o=")),
    ]

    /// The fifth line of a description.
    static let brokenLines: [(String, SDPError)] = [
        ("hello", .malformed(line: 5, field: "line")),
        ("A=b", .malformed(line: 5, field: "line")),
        ("a", .malformed(line: 5, field: "line")),
        ("a=", .malformed(line: 5, field: "a=")),
        ("a=a b:c", .malformed(line: 5, field: "a=")),
        ("a=a:\0", .malformed(line: 5, field: "line")),
        ("a=a:\r ", .malformed(line: 5, field: "line")),
        ("m=audio", .malformed(line: 5, field: "m=")),
        ("m=audio 9 RTP/AVP", .malformed(line: 5, field: "m=")),
        ("m=audio 65536 RTP/AVP 0", .malformed(line: 5, field: "m=")),
        ("m=audio -1 RTP/AVP 0", .malformed(line: 5, field: "m=")),
        ("m=audio +9 RTP/AVP 0", .malformed(line: 5, field: "m=")),
        ("m=audio /9 RTP/AVP 0", .malformed(line: 5, field: "m=")),
        ("m=aud\u{e9}o 9 RTP/AVP 0", .malformed(line: 5, field: "m=")),
    ]

    @Test(arguments: brokenHeads) func whatIsNoDescriptionIsRefused(text: String, error: SDPError) {
        #expect(throws: error) { try SessionDescription(parsing: text) }
        #expect(error.isMalformed)
        #expect(error.description.hasPrefix("SDP line "))
    }

    @Test(arguments: brokenLines) func whatIsNoLineIsRefused(line: String, error: SDPError) {
        #expect(throws: error) { try SessionDescription(parsing: Self.minimal + line + "\r\n") }
        #expect(error.isMalformed)
        #expect(error.description.hasPrefix("SDP line 5: "))
    }
}

import Testing

@testable import ControlServer

@Suite("Header fields of WHIP and WHEP")
struct WebRTCFieldsTests {
    @Test(
        "If-Match (RFC 9110 section 13.1.1)",
        arguments: [
            (nil, IfMatch.absent), ("*", .any), (" * ", .any), ("\"*\"", .any), ("", .tags([])),
            ("\"a\"", .tags(["\"a\""])), ("\"a\", \"b,c\" ,\t\"\"", .tags(["\"a\"", "\"b,c\"", "\"\""])),
            ("W/\"a\", \"b\"", .tags(["\"b\""])), ("a", .tags([])), ("\"a\", b, \"c\"", .tags(["\"a\""])),
            ("\"a", .tags([])), ("W/", .tags([])), (",,,", .tags([])), ("\u{e9}\"a\"", .tags([])),
        ] as [(String?, IfMatch)])
    func ifMatch(field: String?, expected: IfMatch) {
        #expect(IfMatch(field: field) == expected)
    }

    @Test func whatMatches() {
        #expect(!IfMatch.absent.matches("\"a\""))
        #expect(IfMatch.any.matches("\"a\""))
        #expect(IfMatch.tags(["\"b\"", "\"a\""]).matches("\"a\""))
        #expect(!IfMatch.tags(["\"A\""]).matches("\"a\""))
    }

    @Test(
        "Accept (RFC 9110 section 12.5.1)",
        arguments: [
            ([], true), ([""], true), (["application/sdp"], true), (["APPLICATION/SDP;q=1"], true),
            (["text/plain", "application/*"], true), (["text/plain"], false), (["application/sdp;q=0.0"], false),
            (["*/*;q=0, application/sdp;q=0.5"], true), (["application/*;q=0, */*"], false), ([";;;,,,"], false),
        ] as [([String], Bool)])
    func accept(field: [String], isTaken: Bool) {
        #expect(MediaRanges(field: field).take("application/sdp") == isTaken)
    }

    @Test(
        "STUN and TURN server URLs (RFC 7064, RFC 7065)",
        arguments: [
            ("stun:a.example", true), ("stuns:a.example:5349", true), ("turn:[2001:db8::1]:3478?transport=tcp", true),
            ("turns:a.example?transport=tcp", true), ("http:a.example", false), ("stun:", false), ("stun", false),
            ("", false), ("stun:a>b", false), ("stun:a\r\nX: y", false), ("turn:a b", false),
        ])
    func servers(url: String, isOne: Bool) {
        #expect((ICEServer(url: url, username: "u", credential: "p") != nil) == isOne)
    }
}

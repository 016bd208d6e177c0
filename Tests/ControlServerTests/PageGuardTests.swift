import HTTPTypes
import Signaling
import Testing

@testable import ControlServer

@Suite("Pages that may call the relay")
struct PageGuardTests {
    @Test(
        "a list of origins is refused if an entry is not an origin",
        arguments: [
            ([], true), (["*"], true), (["https://a.example"], true),
            (["http://localhost:8000", "https://b.example"], true),
            (["http://[::1]:8000"], true), (["capacitor://localhost"], true), (["*", "https://a.example"], false),
            (["null"], false), (["a.example"], false), (["https://a.example/"], false),
            (["https://a.example/x"], false),
            (["https://"], false), (["https://a.example:0"], false), (["https://a.example:70000"], false),
            (["https://u@a.example"], false), (["https://a.example\r\nX: y"], false), ([""], false),
            ((0..<65).map { "https://a\($0).example" }, false),
        ] as [([String], Bool)])
    func lists(_ entries: [String], _ isAllowed: Bool) {
        #expect((AllowedOrigins(entries) != nil) == isAllowed)
    }

    @Test(
        "an answer names the origin that asked, if it is allowed",
        arguments: [
            (["https://a.example", "https://b.example"], "https://b.example", "https://b.example"),
            (["HTTPS://A.Example:443"], "https://a.example", "https://a.example"),
            (["https://a.example", "https://b.example"], "https://c.example", nil),
            (["https://a.example", "https://b.example"], "null", nil),
            (["https://a.example", "https://b.example"], nil, nil), (["https://a.example"], nil, "https://a.example"),
            (["https://a.example"], "https://a.example.evil.example", nil), (["*"], "https://c.example", "*"),
            ([], "https://a.example", nil),
        ] as [([String], String?, String?)])
    func fields(_ entries: [String], _ origin: String?, _ allowed: String?) throws {
        var fields: HTTPFields = [:]
        let isAllowed = try #require(AllowedOrigins(entries)).addFields(to: &fields, origin: origin)
        #expect(fields[.accessControlAllowOrigin] == allowed && isAllowed == (allowed != nil))
        // A cache must not give one origin's answer to another.
        #expect((fields[.vary] == "Origin") == (!entries.isEmpty && entries != ["*"]))
    }

    @Test(
        "without a token only pages of the relay and of configured origins are allowed, under the relay's own names",
        arguments: [
            ("localhost:7880", nil, true), ("localhost:7880", "http://localhost:7880", true),
            ("127.0.0.1:7880", "http://127.0.0.1:7880", true), ("[::1]:7880", "http://[::1]:7880", true),
            ("relay.example", "https://relay.example", true), ("localhost:7880", "https://app.example", true),
            ("app.example", "https://app.example", true), ("localhost:7880", "http://localhost:8000", false),
            ("localhost:7880", "https://evil.example", false), ("localhost:7880", "null", false),
            ("localhost:7880", "", false), ("evil.example:7880", "http://evil.example:7880", false),
            ("evil.example", nil, false), ("", nil, false), ("localhost, evil.example", nil, false),
        ] as [(String, String?, Bool)])
    func decides(_ authority: String, _ origin: String?, _ isAllowed: Bool) throws {
        let pages = PageGuard(
            origins: try #require(AllowedOrigins(["https://app.example"])), hosts: ["relay.example"])
        let problem = pages.objection(authority: authority, origin: origin)
        #expect((problem == nil) == isAllowed)
        if let problem { #expect(problem.code == .notPermitted) }
    }

    @Test("an asterisk does not allow foreign pages at endpoints without a token")
    func asterisk() throws {
        let pages = PageGuard(origins: try #require(AllowedOrigins(["*"])), hosts: [])
        #expect(pages.objection(authority: "localhost", origin: "https://evil.example") != nil)
    }
}

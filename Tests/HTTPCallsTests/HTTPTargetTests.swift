import HTTPCalls
import Testing

@Suite("URLs to call")
struct HTTPTargetTests {
    @Test(
        "valid URLs are parsed into host, port and path",
        arguments: [
            ("http://a.example", "a.example", 80, "/", false),
            ("https://a.example/x?y=1", "a.example", 443, "/x?y=1", true),
            ("HTTP://127.0.0.1:8080/%20a", "127.0.0.1", 8_080, "/%20a", false),
            ("https://[::1]:7/", "::1", 7, "/", true),
        ])
    func good(text: String, host: String, port: Int, path: String, isSecure: Bool) throws {
        let target = try #require(HTTPTarget(text))
        #expect(target.host == host && target.port == port && target.path == path && target.isSecure == isSecure)
    }

    @Test(
        "invalid URLs are refused",
        arguments: [
            "", "a", "/x", "ftp://a", "http://", "http://u:p@a.example/", "http://a/#b", "http://a:0/",
            "http://a:70000/",
            "http://a b/", "http://a/\r\nX: y",
        ])
    func bad(text: String) { #expect(HTTPTarget(text) == nil) }

    @Test("the description of a URL in logs leaves out its query, which may be a secret") func description() throws {
        let target = try #require(HTTPTarget("https://a.example/hooks?key=secret"))
        #expect(target.description == "https://a.example/hooks?…" && target.path == "/hooks?key=secret")
        let error = HTTPCallError.timeout(target)
        #expect(!error.description.contains("secret"))
    }

    @Test func pathsAreAppended() throws {
        #expect(try #require(HTTPTarget("http://a/base/")).appending("/v1/x").description == "http://a/base/v1/x")
        #expect(try #require(HTTPTarget("http://a")).appending("/v1/x?y=1").path == "/v1/x?y=1")
    }
}

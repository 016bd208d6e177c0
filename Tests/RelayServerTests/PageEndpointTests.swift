import ControlServer
import Foundation
import RelayServer
import Testing

@Suite("The page and the operator view")
struct PageEndpointTests {
    private static let web = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Sources/CPage/web", directoryHint: .isDirectory)

    @Test("the files in the binary are equal to those of the folder")
    func folder() throws {
        let enumerator = try #require(FileManager.default.enumerator(at: Self.web, includingPropertiesForKeys: nil))
        var found: Set<String> = []
        for case let file as URL in enumerator where !file.hasDirectoryPath {
            let path = String(file.path.dropFirst(Self.web.path.count)).drop { $0 == "/" }
            found.insert(String(path))
            let held = PageFile.all[String(path)]
            #expect(held.map { Data($0.bytes.readableBytesView) } == (try Data(contentsOf: file)), "\(path)")
        }
        #expect(found == Set(PageFile.all.keys))
        #expect(Set(PageFile.all.values.map(\.entityTag)).count == PageFile.all.count)
    }

    @Test("every file is served with its media type and a content security policy for local resources only")
    func files() async throws {
        try await withRelay { _, http in
            for (path, type) in [
                ("/", "text/html; charset=utf-8"), ("/admin", "text/html; charset=utf-8"),
                ("/page/style.css", "text/css; charset=utf-8"), ("/page/ui/app.js", "text/javascript; charset=utf-8"),
                ("/page/icon.svg", "image/svg+xml"),
            ] {
                let answer = try await http.request("GET", path)
                #expect(answer.status == 200, "\(path)")
                #expect(answer.fields["content-type"] == type)
                #expect(answer.fields["cache-control"] == "no-cache")
                #expect(answer.fields["x-content-type-options"] == "nosniff")
                let policy = try #require(answer.fields["content-security-policy"])
                #expect(policy.contains("default-src 'none'") && policy.contains("script-src 'self';"))
                #expect(!policy.contains("unsafe") && !policy.contains("*"))
                let head = try await http.request("HEAD", path)
                #expect(head.status == 200 && head.body.isEmpty && head.fields["etag"] == answer.fields["etag"])
            }
        }
    }

    @Test("a file that the browser has cached is sent again only if its version differs")
    func validators() async throws {
        try await withRelay { _, http in
            let first = try await http.request("GET", "/page/ui/app.js")
            let tag = try #require(first.fields["etag"])
            for field in [tag, "W/\(tag)", "\"other\", \(tag)", "*"] {
                let answer = try await http.request("GET", "/page/ui/app.js", fields: ["If-None-Match": field])
                #expect(answer.status == 304 && answer.body.isEmpty, "\(field)")
                #expect(answer.fields["etag"] == tag && answer.fields["content-security-policy"] != nil)
            }
            let other = try await http.request("GET", "/page/ui/app.js", fields: ["If-None-Match": "\"other\""])
            #expect(other.status == 200 && other.body == first.body)
        }
    }

    @Test(
        "other paths are not found",
        arguments: [
            "/page", "/page/", "/page/index", "/page/../Package.swift", "/page/ui", "/page/ui/", "/page/ui/none.js",
            "/page/%2e%2e/web/index.html", "/page/ui%2Fapp.js", "/page/ui/app.js/x", "/admin/x", "/index.html",
        ])
    func nothing(path: String) async throws {
        try await withRelay { _, http in
            let answer = try await http.request("GET", path)
            #expect(answer.status == 404 && answer.problemCode == "notFound")
        }
    }

    @Test("every file that another file names exists, and no file is loaded from other hosts")
    func references() throws {
        for (path, file) in PageFile.all where path.hasSuffix(".js") || path.hasSuffix(".html") {
            let text = String(buffer: file.bytes)
            for found in text.matches(of: #/(?:from|import) "([^"]+)"/#) {
                var target = path.split(separator: "/").dropLast().map(String.init)
                for part in found.1.split(separator: "/") where part != "." {
                    if part == ".." { _ = target.popLast() } else { target.append(String(part)) }
                }
                #expect(PageFile.all[target.joined(separator: "/")] != nil, "\(path) imports \(found.1)")
            }
            for found in text.matches(of: #/(?:src|href)="/page/([^"]+)"/#) {
                #expect(PageFile.all[String(found.1)] != nil, "\(path) names \(found.1)")
            }
            // The namespace of SVG is an identifier that is never loaded.
            let elsewhere = text.matches(of: #/https?://[^"'` )]+/#).map { String($0.0) }
            #expect(elsewhere.allSatisfy { $0 == "http://www.w3.org/2000/svg" }, "\(path): \(elsewhere)")
            #expect(
                !text.contains("innerHTML") && !text.contains("insertAdjacentHTML") && !text.contains("document.write"))
            #expect(text.firstMatch(of: #/ style="| on[a-z]+="/#) == nil, "\(path): inline style or script")
        }
    }
}

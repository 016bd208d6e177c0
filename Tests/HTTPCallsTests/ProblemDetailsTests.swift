import Foundation
import HTTPCalls
import Testing

@Suite("Error answers of relays") struct ProblemDetailsTests {
    @Test("An error answer has the relay's code, title and detail")
    func members() throws {
        let body = Data(#"{"code":"forbidden","title":"Forbidden","detail":"not you","status":403}"#.utf8)
        let problem = try #require(ProblemDetails(body))
        #expect(problem.code == "forbidden" && problem.title == "Forbidden" && problem.detail == "not you")
    }

    @Test(
        "An answer without an error code is not of a relay", arguments: ["", "{}", "[]", "<html>", #"{"title":"x"}"#])
    func others(body: String) { #expect(ProblemDetails(Data(body.utf8)) == nil) }
}

import Foundation
import HTTPCalls

/// HTTP calls to a relay.
struct RelayHTTP: Sendable {
    private static let timeLimit = Duration.seconds(15)

    private let caller = HTTPCaller(agent: "millrace load")
    /// Sent as Bearer token, if there is one.
    private let token: String?

    /// Problem details (RFC 9457), in place of an answer.
    private struct Problem: Decodable {
        var code: String?
        var title: String?
        var detail: String?
    }

    init(token: String?) { self.token = token }

    func send(
        _ method: String, _ target: HTTPTarget, fields: [(String, String)] = [], body: [UInt8] = []
    ) async throws(LoadError) -> HTTPCallAnswer {
        var call = HTTPCall(method: method, target: target, fields: fields, body: body)
        if let token { call.fields.append(("Authorization", "Bearer \(token)")) }
        do { return try await caller.send(call, within: Self.timeLimit) } catch {
            throw .noAnswer("no answer: \(error)")
        }
    }

    /// Returns the error for an answer whose status is not a success. A server that is not a relay answers without an error code.
    static func refusal(_ answer: HTTPCallAnswer) -> LoadError {
        let problem = try? JSONDecoder().decode(Problem.self, from: Data(answer.body))
        guard let code = problem?.code else {
            return .noAnswer(
                "HTTP \(answer.status) without a relay's error code; check that the address is that of a relay")
        }
        return .refused(
            status: answer.status, code: code, detail: problem?.detail ?? problem?.title ?? "no reason given")
    }
}

import ArgumentParser
import ControlServer
import Foundation
import HTTPCalls
import Signaling

/// Client of a running relay's admin API. Prints errors to standard error, and ends the command with exit code 1.
struct AdminClient {
    private static let patience = Duration.seconds(30)

    let caller: HTTPCaller
    let target: HTTPTarget
    let token: String?
    /// Nil: the relay's default app.
    let app: String?

    private struct Problem: Decodable {
        var code: String?
        var detail: String?
    }

    /// Returns the path of a session under the admin API, followed by `parts`.
    func path(_ session: String, _ parts: String...) -> String {
        "/v1/admin/sessions/" + ([session] + parts).map(Self.escaped).joined(separator: "/")
    }

    @discardableResult
    func send(_ method: String, _ path: String, query: [String: String] = [:], body: [String: Any]? = nil) async throws
        -> Data
    {
        let bytes = try body.map { Array(try JSONSerialization.data(withJSONObject: $0, options: .sortedKeys)) } ?? []
        return try Self.accepted(try await answer(to: call(method, path, query, bytes)))
    }

    private func answer(to call: HTTPCall) async throws -> HTTPCallAnswer {
        do {
            return try await caller.send(call, within: Self.patience)
        } catch {
            CommandOutput.error("\(error)")
            throw ExitCode.failure
        }
    }

    /// Returns the body of an answer, unless the relay refused the request.
    private static func accepted(_ answer: HTTPCallAnswer) throws -> Data {
        guard (200...299).contains(answer.status) else { throw refused(answer.status, Data(answer.body)) }
        return Data(answer.body)
    }

    func get<Answer: Decodable>(
        _ type: Answer.Type, _ path: String, query: [String: String] = [:]
    ) async throws -> (value: Answer, json: Data) {
        let data = try await send("GET", path, query: query)
        return (try decode(type, data), data)
    }

    /// Returns nil if the relay does not have the resource (404).
    func find<Answer: Decodable>(_ type: Answer.Type, _ path: String) async throws -> Answer? {
        let answer = try await answer(to: call("GET", path, [:], []))
        return answer.status == 404 ? nil : try decode(type, Self.accepted(answer))
    }

    private func decode<Answer: Decodable>(_ type: Answer.Type, _ data: Data) throws -> Answer {
        do {
            return try JSONDecoder().decode(type, from: data)
        } catch {
            CommandOutput.error("unexpected answer from \(target)")
            throw ExitCode.failure
        }
    }

    /// Streams an answer without end: calls `body` with each part when it arrives.
    func stream(_ path: String, query: [String: String], body: (UnsafeRawBufferPointer) throws -> Void) async throws {
        var status = 0
        var problem = Data()
        do {
            try await caller.stream(call("GET", path, query, [])) { code, _ in
                status = code
            } body: { bytes in
                if (200...299).contains(status) { try body(bytes) } else { problem.append(contentsOf: bytes) }
            }
        } catch {
            CommandOutput.error("\(error)")
            throw ExitCode.failure
        }
        guard (200...299).contains(status) else { throw Self.refused(status, problem) }
    }

    private func call(_ method: String, _ path: String, _ query: [String: String], _ body: [UInt8]) -> HTTPCall {
        var query = query
        if let app, path.hasPrefix("/v1/admin/sessions") { query["app"] = app }
        var text = path
        if !query.isEmpty {
            text +=
                "?"
                + query.sorted { $0.key < $1.key }.map { "\($0.key)=\(Self.escaped($0.value))" }.joined(separator: "&")
        }
        var fields = body.isEmpty ? [] : [("Content-Type", "application/json")]
        if let token { fields.append(("Authorization", "Bearer \(token)")) }
        return HTTPCall(method: method, target: target.appending(text), fields: fields, body: body)
    }

    private static func refused(_ status: Int, _ body: Data) -> ExitCode {
        let problem = try? JSONDecoder().decode(Problem.self, from: body)
        guard let code = problem?.code else {
            CommandOutput.error("HTTP \(status) without a relay's error code; check --url")
            return .failure
        }
        CommandOutput.error("\(problem?.detail ?? "the relay refused with HTTP \(status)") (\(code))")
        if status == 401 { CommandOutput.error("set --token or MILLRACE_ADMIN_TOKEN") }
        return .failure
    }

    /// Percent-encodes a path component or query value, except the unreserved characters (RFC 3986 section 2.3).
    static func escaped(_ text: String) -> String {
        var allowed = CharacterSet(charactersIn: "-._~")
        allowed.formUnion(CharacterSet(charactersIn: "a"..."z"))
        allowed.formUnion(CharacterSet(charactersIn: "A"..."Z"))
        allowed.formUnion(CharacterSet(charactersIn: "0"..."9"))
        return text.addingPercentEncoding(withAllowedCharacters: allowed) ?? ""
    }
}

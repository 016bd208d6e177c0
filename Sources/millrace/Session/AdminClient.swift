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

    /// Returns the path of a session under the admin API, followed by `parts`.
    func path(_ session: String, _ parts: String...) -> String {
        "/v1/admin/sessions/" + ([session] + parts).map(HTTPTarget.percentEncoded).joined(separator: "/")
    }

    /// Reason for which a call had no usable answer.
    struct Failure: Error, CustomStringConvertible {
        var description: String
        /// Advice for the user, on a line of its own.
        var hint: String?

        /// Prints the error; returns the end of the command.
        func report() -> ExitCode {
            CommandOutput.error(description)
            if let hint { CommandOutput.error(hint) }
            return .failure
        }
    }

    @discardableResult
    func send(_ method: String, _ path: String, query: [String: String] = [:], body: [String: Any]? = nil) async throws
        -> Data
    {
        let bytes = try Self.encoded(body)
        do throws(Failure) {
            return try await attempt(method, path, query: query, body: bytes)
        } catch {
            throw error.report()
        }
    }

    static func encoded(_ body: [String: Any]?) throws -> [UInt8] {
        try body.map { Array(try JSONSerialization.data(withJSONObject: $0, options: .sortedKeys)) } ?? []
    }

    /// Sends a request without printing errors, for a caller that tries again.
    func attempt(
        _ method: String, _ path: String, query: [String: String] = [:], body: [UInt8] = []
    ) async throws(Failure) -> Data {
        let answer = try await answer(to: call(method, path, query, body))
        guard (200...299).contains(answer.status) else { throw Self.refused(answer.status, Data(answer.body)) }
        return Data(answer.body)
    }

    private func answer(to call: HTTPCall) async throws(Failure) -> HTTPCallAnswer {
        do throws(HTTPCallError) {
            return try await caller.send(call, within: Self.patience)
        } catch {
            throw Failure(description: "\(error)")
        }
    }

    func get<Answer: Decodable>(
        _ type: Answer.Type, _ path: String, query: [String: String] = [:]
    ) async throws -> (value: Answer, json: Data) {
        let data = try await send("GET", path, query: query)
        do throws(Failure) {
            return (try decode(type, data), data)
        } catch {
            throw error.report()
        }
    }

    /// Returns nil if the relay does not have the resource (404).
    func find<Answer: Decodable>(_ type: Answer.Type, _ path: String) async throws -> Answer? {
        do throws(Failure) {
            let answer = try await answer(to: call("GET", path, [:], []))
            if answer.status == 404 { return nil }
            guard (200...299).contains(answer.status) else { throw Self.refused(answer.status, Data(answer.body)) }
            return try decode(type, Data(answer.body))
        } catch {
            throw error.report()
        }
    }

    func decode<Answer: Decodable>(_ type: Answer.Type, _ data: Data) throws(Failure) -> Answer {
        do {
            return try JSONDecoder().decode(type, from: data)
        } catch {
            throw Failure(description: "unexpected answer from \(target)")
        }
    }

    /// Streams an answer without end: calls `body` with each part when it arrives.
    func stream(_ path: String, query: [String: String], body: (UnsafeRawBufferPointer) throws -> Void) async throws {
        do throws(Failure) {
            try await attemptStream(path, query: query, body: body)
        } catch {
            throw error.report()
        }
    }

    /// Streams an answer without end, without printing errors.
    /// - Parameter begin: called before the first part, when the relay has accepted.
    func attemptStream(
        _ path: String, query: [String: String] = [:], begin: () throws -> Void = {},
        body: (UnsafeRawBufferPointer) throws -> Void
    ) async throws(Failure) {
        var status = 0
        var problem = Data()
        do throws(HTTPCallError) {
            try await caller.stream(call("GET", path, query, [])) { code, _ in
                status = code
                if (200...299).contains(status) { try begin() }
            } body: { bytes in
                if (200...299).contains(status) { try body(bytes) } else { problem.append(contentsOf: bytes) }
            }
        } catch {
            throw Failure(description: "\(error)")
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
                + query.sorted { $0.key < $1.key }.map { "\($0.key)=\(HTTPTarget.percentEncoded($0.value))" }.joined(
                    separator: "&")
        }
        var fields = body.isEmpty ? [] : [("Content-Type", "application/json")]
        if let token { fields.append(("Authorization", "Bearer \(token)")) }
        return HTTPCall(method: method, target: target.appending(text), fields: fields, body: body)
    }

    private static func refused(_ status: Int, _ body: Data) -> Failure {
        guard let problem = ProblemDetails(body) else {
            return Failure(description: "HTTP \(status) without a relay's error code; check --url")
        }
        let detail = problem.detail ?? "the relay refused with HTTP \(status)"
        return Failure(
            description: "\(detail) (\(problem.code))",
            hint: status == 401 ? "set --token or MILLRACE_ADMIN_TOKEN" : nil)
    }
}

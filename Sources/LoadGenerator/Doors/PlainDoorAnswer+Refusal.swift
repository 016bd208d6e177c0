import Foundation

extension PlainDoorAnswer {
    /// Returns the error for an answer whose status is not a success. A server that is not a relay answers without an error code.
    static func refusal(status: Int, body: Data) -> LoadError {
        let problem = try? JSONDecoder().decode(Problem.self, from: body)
        guard let code = problem?.code else {
            return .door(
                "HTTP \(status) without a relay's error code; check that the address is that of a relay")
        }
        return .refused(status: status, code: code, detail: problem?.detail ?? problem?.title ?? "no reason given")
    }
}

import Foundation

extension PlainDoorAnswer {
    /// The error that an answer stands for whose status is no success. Another server than a relay answers without a code.
    static func refusal(status: Int, body: Data) -> LoadError {
        let problem = try? JSONDecoder().decode(Problem.self, from: body)
        guard let code = problem?.code else {
            return .door(
                "HTTP \(status) was answered, but not as a relay does; check that the address is that of a relay")
        }
        return .refused(status: status, code: code, detail: problem?.detail ?? problem?.title ?? "no reason given")
    }
}

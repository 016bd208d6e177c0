import HTTPCalls

extension HTTPCaller {
    /// - Parameter token: sent as Bearer token, if there is one.
    func sendForLoad(
        _ call: HTTPCall, token: String?, within time: Duration
    ) async throws(LoadError) -> HTTPCallAnswer {
        var call = call
        if let token { call.fields.append(("Authorization", "Bearer \(token)")) }
        do { return try await send(call, within: time) } catch {
            throw .door("no answer: \(error)")
        }
    }
}

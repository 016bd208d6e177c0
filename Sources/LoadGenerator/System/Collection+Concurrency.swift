extension Collection where Element: Sendable {
    /// Runs `body` for all elements, at most `width` at a time, and returns the results in order.
    /// - Throws: the first error; the other calls are then cancelled.
    @discardableResult
    func mapConcurrently<Result: Sendable>(
        atMost width: Int, _ body: @escaping @Sendable (Element) async throws -> Result
    ) async throws -> [Result] {
        try await withThrowingTaskGroup(of: (Int, Result).self) { group in
            var results = [Result?](repeating: nil, count: count)
            for (index, element) in enumerated() {
                if index >= width, let (finished, result) = try await group.next() { results[finished] = result }
                group.addTask { (index, try await body(element)) }
            }
            for try await (index, result) in group { results[index] = result }
            return results.compactMap(\.self)
        }
    }
}

/// Difference between a store's answer and the expected one.
package struct StoreMismatch: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }

    static func check(_ condition: Bool, _ text: @autoclosure () -> String) throws {
        guard condition else { throw StoreMismatch(text()) }
    }

    static func check<Value: Equatable>(_ value: Value, is expected: Value, _ text: String) throws {
        guard value == expected else { throw StoreMismatch("\(text): \(value) instead of \(expected)") }
    }
}

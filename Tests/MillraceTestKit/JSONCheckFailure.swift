/// Reason why a value or its JSON does not pass `JSONFaults.check`.
package struct JSONCheckFailure: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}

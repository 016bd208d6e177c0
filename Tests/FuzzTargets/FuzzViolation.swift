/// An invariant that an input broke.
package struct FuzzViolation: Error, Hashable, Sendable, CustomStringConvertible {
    /// The violated expectation and the value found.
    package let description: String

    package init(_ description: String) { self.description = description }
}

/// Throws unless `condition` holds. A test reports the error; the fuzzer ends with a crash, so that the input is kept.
@inline(__always)
func require(_ condition: Bool, _ text: @autoclosure () -> String) throws(FuzzViolation) {
    if !condition { throw FuzzViolation(text()) }
}

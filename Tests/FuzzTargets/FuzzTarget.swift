/// A function that takes any bytes, and the properties that a fuzzer needs.
package struct FuzzTarget: Sendable {
    /// Also the name of the corpus folder.
    package let name: String
    package let summary: String
    /// Largest input in bytes.
    package let maximumLength: Int
    /// - Throws: if the input breaks an invariant.
    package let run: @Sendable (UnsafeRawBufferPointer) throws(FuzzViolation) -> Void

    init(
        _ name: String, _ summary: String, maximumLength: Int,
        _ run: @escaping @Sendable (UnsafeRawBufferPointer) throws(FuzzViolation) -> Void
    ) {
        self.name = name
        self.summary = summary
        self.maximumLength = maximumLength
        self.run = run
    }

    package static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }
}

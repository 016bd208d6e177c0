/// Reason why there is no test video of a size or frame rate.
package struct VideoFormatError: Error, Equatable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}

/// Why a container could not be read or written: which format, which of its fields, where, and what was wrong.
///
/// Readers throw it when nothing (more) can be had; what they could step over is reported in their `damage` instead.
public struct ContainerError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Reason: Hashable, Sendable {
        /// The bytes are not this format at all.
        case wrongFormat
        /// The source ends inside the field.
        case truncated
        /// The field breaks the format's rules.
        case malformed(String)
        /// Legal, but not something this reader or writer does.
        case unsupported(String)
        /// Over a bound that keeps memory and time finite.
        case tooLarge(limit: Int64)
        /// The operating system refused; `code` is errno.
        case io(code: Int32, call: String)
        /// The caller broke the order of calls or gave a value outside the documented range.
        case misuse(String)
    }

    public var container: ContainerKind
    /// The format's own name of the field, such as `SimpleBlock` or `page checksum`.
    public var field: String
    /// Byte offset from the start of the file, or -1 where there is none.
    public var offset: Int64
    public var reason: Reason

    public init(_ container: ContainerKind, _ field: String, at offset: Int64 = -1, _ reason: Reason) {
        self.container = container
        self.field = field
        self.offset = offset
        self.reason = reason
    }

    /// True for a full disk, a quota or a file size limit.
    public var isOutOfSpace: Bool {
        if case .io(let code, _) = reason { return SystemError.isOutOfSpace(code) }
        return false
    }

    public var description: String {
        let place = offset >= 0 ? "\(container.rawValue) \(field) at byte \(offset)" : "\(container.rawValue) \(field)"
        switch reason {
        case .wrongFormat: return "\(place): not a \(container.rawValue) file"
        case .truncated: return "\(place): the file ends inside it"
        case .malformed(let why): return "\(place): malformed: \(why)"
        case .unsupported(let what): return "\(place): not supported: \(what)"
        case .tooLarge(let limit): return "\(place): larger than the limit of \(limit)"
        case .io(let code, let call): return "\(place): \(call) failed: \(SystemError.text(code))"
        case .misuse(let why): return "\(place): misused: \(why)"
        }
    }
}

/// Error of reading or writing a container: format, field, position and reason.
///
/// Readers throw it if they cannot continue; damage that they can skip is listed in their `damage`.
public struct ContainerError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Reason: Hashable, Sendable {
        /// The bytes are not in this format.
        case wrongFormat
        /// The source ends inside the field.
        case truncated
        /// The field breaks the format's rules.
        case malformed(String)
        /// Valid, but not supported by this reader or writer.
        case unsupported(String)
        /// The value exceeds a limit on memory or time.
        case tooLarge(limit: Int64)
        /// A system call failed; `code` is errno.
        case io(code: Int32, call: String)
        /// The caller called functions in the wrong order or passed a value out of range.
        case misuse(String)
    }

    public var container: ContainerKind
    /// Name of the field in the format's terms, such as `SimpleBlock` or `page checksum`.
    public var field: String
    /// Byte offset from the start of the file; -1 if not applicable.
    public var offset: Int64
    public var reason: Reason

    public init(_ container: ContainerKind, _ field: String, at offset: Int64 = -1, _ reason: Reason) {
        self.container = container
        self.field = field
        self.offset = offset
        self.reason = reason
    }

    /// Whether the cause is a full disk, a quota or a file size limit.
    public var isOutOfSpace: Bool {
        if case .io(let code, _) = reason { return SystemError.isOutOfSpace(code) }
        return false
    }

    public var description: String {
        let prefix = offset >= 0 ? "\(container.rawValue) \(field) at byte \(offset)" : "\(container.rawValue) \(field)"
        switch reason {
        case .wrongFormat: return "\(prefix): not a \(container.rawValue) file"
        case .truncated: return "\(prefix): the file ends inside it"
        case .malformed(let why): return "\(prefix): malformed: \(why)"
        case .unsupported(let what): return "\(prefix): not supported: \(what)"
        case .tooLarge(let limit): return "\(prefix): larger than the limit of \(limit)"
        case .io(let code, let call): return "\(prefix): \(call) failed: \(SystemError.text(code))"
        case .misuse(let why): return "\(prefix): misused: \(why)"
        }
    }
}

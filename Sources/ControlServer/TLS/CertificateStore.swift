import Foundation
import NIOConcurrencyHelpers
package import TLSChannel

/// Certificate and key of the HTTP port, read from files and read again when these change. A connection keeps the certificate with which it
/// began.
package final class CertificateStore: Sendable {
    package struct Unreadable: Error, CustomStringConvertible {
        package let description: String
    }

    /// Attributes that show whether a file has changed.
    private struct FileState: Equatable {
        var modified: Date?
        var size: UInt64?
        var inode: UInt64?
    }

    private struct State {
        var context: TLSContext
        /// State of the certificate and key files when they were last read, valid or not.
        var files: [FileState]
    }

    package let certificate: String
    package let key: String
    private let state: NIOLockedValueBox<State>

    /// - Parameters:
    ///   - certificate: PEM file with the server's own certificate first, followed by intermediate certificates.
    ///   - key: PEM file.
    package init(certificate: String, key: String) throws(Unreadable) {
        self.certificate = certificate
        self.key = key
        let files = Self.states(certificate, key)
        state = NIOLockedValueBox(State(context: try Self.read(certificate, key), files: files))
    }

    /// TLS context for new connections.
    package var context: TLSContext { state.withLockedValue { $0.context } }

    package enum Change: Sendable {
        case none
        case renewed
        /// The new files cannot be used, and the old ones stay in use.
        case bad(Unreadable)
    }

    /// Reads the files again if they have changed.
    package func look() -> Change {
        let files = Self.states(certificate, key)
        guard files != state.withLockedValue({ $0.files }) else { return .none }
        do throws(Unreadable) {
            let context = try Self.read(certificate, key)
            state.withLockedValue { $0 = State(context: context, files: files) }
            return .renewed
        } catch {
            state.withLockedValue { $0.files = files }
            return .bad(error)
        }
    }

    private static func states(_ paths: String...) -> [FileState] {
        paths.map { path in
            // Some tools replace a symbolic link, so the file to which it points counts.
            let real = URL(filePath: path).resolvingSymlinksInPath().path
            let attributes = try? FileManager.default.attributesOfItem(atPath: real)
            return FileState(
                modified: attributes?[.modificationDate] as? Date,
                size: (attributes?[.size] as? NSNumber)?.uint64Value,
                inode: (attributes?[.systemFileNumber] as? NSNumber)?.uint64Value)
        }
    }

    private static func read(_ certificate: String, _ key: String) throws(Unreadable) -> TLSContext {
        do throws(TLSFailure) {
            return try .server(certificates: PEM.file(certificate), key: PEM.file(key))
        } catch {
            let reason =
                switch error {
                case .certificates(let reason): "cannot read the certificate \(certificate): \(reason)"
                case .key(let reason): "cannot read the key \(key): \(reason)"
                case .keyMismatch: "\(certificate) and \(key) do not match"
                default: error.description
                }
            throw Unreadable(description: reason)
        }
    }
}

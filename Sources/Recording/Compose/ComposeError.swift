package import Codecs
package import Containers

/// Reason that no session file was written.
package enum ComposeError: Error, Sendable, CustomStringConvertible {
    /// The folder has no readable `index.json`.
    case index(path: String, reason: String)
    /// No recorded file of the folder can be used; `report.warnings` has the reasons.
    case noMedia(folder: String, ComposeReport)
    /// Streams were encrypted end to end, and there is no secret.
    case encrypted(files: Int)
    /// The key of an encrypted stream cannot be derived.
    case secret(reason: String)
    case tooManyTracks(count: Int, limit: Int)
    case tooManyFiles(count: Int, limit: Int)
    /// The output is a recorded file, which would be lost.
    case outputIsRecording(path: String)
    /// Another process writes the same output.
    case busy(path: String)
    /// The output could not be written.
    case output(ContainerError)
    /// An option of a mix is out of range.
    case option(String, reason: String)
    /// The mixed video or audio cannot be encoded.
    case encoder(CodecError)
    case interrupted

    package var description: String {
        switch self {
        case .index(let path, let reason): "\(path): \(reason)"
        case .noMedia(let folder, _): "\(folder): no recorded file of this folder can be used"
        case .encrypted(let files):
            "\(files) \(files == 1 ? "file was" : "files were") encrypted end to end; give the session's secret with --secret"
        case .secret(let reason): "no key can be derived from the secret: \(reason)"
        case .tooManyTracks(let count, let limit): "the session has \(count) tracks; a file has at most \(limit)"
        case .tooManyFiles(let count, let limit): "the index has \(count) files; at most \(limit) can be composed"
        case .outputIsRecording(let path): "\(path) is a recorded file of this session; choose another output"
        case .busy(let path): "\(path) is being written by another process"
        case .output(let error): "the output failed: \(error)"
        case .option(let name, let reason): "--\(name): \(reason)"
        case .encoder(let error): "the mix cannot be encoded: \(error)"
        case .interrupted: "interrupted; nothing was written"
        }
    }
}

import ArgumentParser
import Foundation
import RelayServer

/// Flags for all configuration keys, in the groups that `--help` shows. Each group has its own file.
struct ConfigurationOptions: ParsableArguments {
    @Option(help: ArgumentHelp("configuration file (.json, .yaml); also MILLRACE_CONFIG", valueName: "file"))
    var config: String?

    @OptionGroup(title: "General") var general: GeneralOptions
    @OptionGroup(title: "HTTP") var http: HTTPOptions
    @OptionGroup(title: "Apps, webhooks and reports") var apps: AppOptions
    @OptionGroup(title: "Media") var media: MediaOptions
    @OptionGroup(title: "WebRTC") var webRTC: WebRTCOptions
    @OptionGroup(title: "Control connections") var connections: ConnectionOptions
    @OptionGroup(title: "Recordings and messages") var storage: StorageOptions
    @OptionGroup(title: "Limits") var limits: LimitOptions

    /// Values of the flags that were given, by the name of the configuration key.
    var flags: [String: String] {
        let groups: [any ConfigurationOptionGroup] = [
            general, http, apps, media, webRTC, connections, storage, limits,
        ]
        var flags: [String: String] = [:]
        for group in groups { flags.merge(group.given.compactMapValues { $0 }) { first, _ in first } }
        return flags
    }

    /// Merges flags, environment and file. On an error, prints it and exits with code 2.
    func resolve() async throws -> ResolvedConfiguration {
        let environment = ProcessInfo.processInfo.environment
        let loader = ConfigurationLoader(
            flags: flags, environment: environment, file: config ?? environment["MILLRACE_CONFIG"])
        do {
            let resolved = try await loader.load()
            for warning in resolved.warnings { FileHandle.standardError.write(Data("millrace: \(warning)\n".utf8)) }
            return resolved
        } catch {
            FileHandle.standardError.write(Data("millrace: \(error)\n".utf8))
            throw ExitCode(2)
        }
    }
}

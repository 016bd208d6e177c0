import ArgumentParser
import Foundation
import RelayServer

/// Flags for all configuration keys, in the sections that `--help` shows.
struct ConfigurationOptions: ParsableArguments {
    @Option(help: ArgumentHelp("configuration file (.json, .yaml); also MILLRACE_CONFIG", valueName: "file"))
    var config: String?

    @OptionGroup(title: GeneralKeys.title) var general: SectionOptions<GeneralKeys>
    @OptionGroup(title: HTTPKeys.title) var http: SectionOptions<HTTPKeys>
    @OptionGroup(title: AppKeys.title) var apps: SectionOptions<AppKeys>
    @OptionGroup(title: MediaKeys.title) var media: SectionOptions<MediaKeys>
    @OptionGroup(title: WebRTCKeys.title) var webRTC: SectionOptions<WebRTCKeys>
    @OptionGroup(title: LiveKeys.title) var live: SectionOptions<LiveKeys>
    @OptionGroup(title: ConnectionKeys.title) var connections: SectionOptions<ConnectionKeys>
    @OptionGroup(title: StorageKeys.title) var storage: SectionOptions<StorageKeys>
    @OptionGroup(title: ClusterKeys.title) var cluster: SectionOptions<ClusterKeys>
    @OptionGroup(title: LimitKeys.title) var limits: SectionOptions<LimitKeys>

    /// Values of the flags that were given, by the name of the configuration key.
    var flags: [String: String] {
        let sections = [
            general.given, http.given, apps.given, media.given, webRTC.given, live.given, connections.given,
            storage.given, cluster.given, limits.given,
        ]
        return sections.reduce(into: [:]) { $0.merge($1) { first, _ in first } }
    }

    /// Reads flags, environment and file.
    var loader: ConfigurationLoader {
        let environment = ProcessInfo.processInfo.environment
        return ConfigurationLoader(
            flags: flags, environment: environment, file: config ?? environment["MILLRACE_CONFIG"])
    }

    /// Merges flags, environment and file. On an error, prints it and exits with code 2.
    func resolve() async throws -> ResolvedConfiguration {
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

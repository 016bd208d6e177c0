import ArgumentParser

/// Sockets and threads for media.
struct MediaOptions: ConfigurationOptionGroup {
    @Option(help: .key("media.address")) var mediaAddress: String?
    @Option(help: .key("media.advertised")) var mediaAdvertised: String?
    @Option(help: .key("media.port")) var mediaPort: String?
    @Option(help: .key("media.workers")) var mediaWorkers: String?
    @Option(help: .key("media.gatherMicroseconds")) var mediaGatherMicroseconds: String?
    @Option(help: .key("media.protection")) var mediaProtection: String?
    @Option(help: .key("media.offload")) var mediaOffload: String?

    var given: [String: String?] {
        [
            "media.address": mediaAddress,
            "media.advertised": mediaAdvertised,
            "media.port": mediaPort,
            "media.workers": mediaWorkers,
            "media.gatherMicroseconds": mediaGatherMicroseconds,
            "media.protection": mediaProtection,
            "media.offload": mediaOffload,
        ]
    }
}

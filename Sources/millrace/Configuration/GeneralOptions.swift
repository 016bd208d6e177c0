import ArgumentParser

/// Start, shutdown and log of the relay.
struct GeneralOptions: ConfigurationOptionGroup {
    @Flag(inversion: .prefixedNo, help: .key("dev")) var dev: Bool?
    @Option(help: .key("drain.seconds")) var drainSeconds: String?
    @Option(help: .key("drain.minimumSeconds")) var drainMinimumSeconds: String?
    @Option(help: .key("crash.directory", valueName: "directory")) var crashDirectory: String?
    @Option(help: .key("log.level")) var logLevel: String?
    @Option(help: .key("log.format")) var logFormat: String?

    var given: [String: String?] {
        [
            "dev": dev.map(String.init),
            "drain.seconds": drainSeconds,
            "drain.minimumSeconds": drainMinimumSeconds,
            "crash.directory": crashDirectory,
            "log.level": logLevel,
            "log.format": logFormat,
        ]
    }
}

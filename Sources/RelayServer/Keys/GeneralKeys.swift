/// Start, shutdown and log of the relay.
package enum GeneralKeys: ConfigurationSection {
    package static let title = "General"
    package static let keys: [ConfigurationKey] = [
        .flag(
            "dev", \.development,
            """
            development mode: an app `dev` with a public secret, tokens for every caller at `/v1/dev/token`, URLs \
            and commands printed at start
            """),
        .integer(
            "drain.seconds", \.drainSeconds, 0...3_600,
            "time in which clients can leave after the shutdown signal; without clients the relay ends earlier"),
        .integer(
            "drain.minimumSeconds", \.drainMinimumSeconds, 0...60,
            """
            minimum time from the shutdown signal until the HTTP port closes, so that a load balancer sees \
            `/readyz`; never more than `drain.seconds`
            """),
        .text(
            "crash.directory", \.crashDirectory, .directory,
            """
            directory of crash reports; by default `crash` in `storage.directory`; without either, reports go to \
            standard error ([admin.md](admin.md#crashes))
            """),
        .text("log.level", \.logLevel, .logLevel, "minimum level of log messages").reloadable,
        .choice("log.format", \.logFormat, "format of log lines on standard error"),
    ]
}
